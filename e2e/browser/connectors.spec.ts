import { createSource, createWorkspace, eventually } from '@tributary/test-kit'
import { expect, test } from './product-fixture.ts'

test('a Slack channel is set up by its guide, tested without a message, and gets events as text messages', async ({
  signedIn: page,
  product,
  receiver,
}) => {
  const { api, url } = product
  const { workspace } = await createWorkspace(api, 'Announced')
  const { key } = await createSource(api, workspace, 'Shop')
  const address = `${receiver.url}/services/T0000AAAA/B0000BBBB/s3cret`
  await page.goto(`/${workspace}/catalog-destinations`)
  await page.getByRole('link', { name: /^Slack/ }).click()
  await expect(page.getByRole('heading', { name: 'New destination' })).toBeVisible()
  await expect(page.getByText('Turn on incoming webhooks')).toBeVisible()
  await page.getByLabel('Webhook URL').fill('#general')
  await page.getByRole('checkbox', { name: 'Shop' }).check()
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByText('Enter the full URL that Slack shows, https://hooks.slack.com/services/…')).toBeVisible()
  await page.getByLabel('Webhook URL').fill(address)
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByText('Destination Created')).toBeVisible()

  await page.getByRole('tab', { name: 'Settings' }).click()
  await page.getByRole('button', { name: 'Test connection' }).click()
  await expect(page.getByText('The webhook can post to its channel. Nothing was posted.')).toBeVisible()
  // Destinations of other tests may still send to the same receiver.
  const posted = receiver.calls.filter(({ path }) => address.endsWith(path))
  expect(posted.map(({ body }) => body)).toEqual(['{"text":""}'])
  await expect(page.getByText('s3cret')).toHaveCount(0)

  await page.getByRole('tab', { name: 'Mappings' }).click()
  const rows = page.getByRole('list', { name: 'Event mappings' }).getByRole('listitem')
  // The second preset, for identify calls, is off.
  await expect(rows).toHaveCount(2)
  await expect(rows.first()).toContainText('Send message')
  const sent = await fetch(`${url}/v1/track`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'track', event: 'Order Completed', userId: 'customer-7' }),
  })
  expect(sent.status).toBe(200)
  await eventually('a message', () =>
    receiver.calls.some(({ body }) => body === '{"text":"*Order Completed* by customer-7"}'),
  )
})
