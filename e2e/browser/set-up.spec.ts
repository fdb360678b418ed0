import { createSource, createWorkspace } from '@tributary/test-kit'
import { expect, test } from './product-fixture.ts'

test('a new source waits for its first event, shows its name and time, and then a rejected event', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'First event')
  const { source, key } = await createSource(product.api, workspace, 'Till', 'python')
  const send = (event: object): Promise<Response> =>
    fetch(`${product.url}/v1/batch`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
      body: JSON.stringify({ batch: [event] }),
    })
  await page.goto(`/${source}#setup`)
  const main = page.getByRole('main')
  const status = main.getByRole('status').first()
  await expect(status).toHaveText('Waiting for the first event…')
  await expect(main).toContainText(`analytics.host = '${product.url}'`)
  await expect(main).toContainText(`analytics.write_key = '${key}'`)
  await main.getByRole('link', { name: 'No events? Troubleshoot' }).click()
  await expect(page.getByRole('tab', { name: 'Refused requests' })).toHaveAttribute('aria-selected', 'true')
  await page.getByRole('tab', { name: 'Set up' }).click()

  const before = Date.now() - 1000
  expect((await send({ type: 'track', event: 'Order Completed', userId: 'u-1', messageId: 'm-1' })).status).toBe(200)
  await expect(status).toHaveText('Received: Order Completed')
  await expect(main.getByText(/^track, /)).toBeVisible()
  const time = await main
    .getByText(/^track, /)
    .locator('time')
    .getAttribute('datetime')
  expect(Date.parse(time ?? '')).toBeGreaterThan(before)
  expect(Date.parse(time ?? '')).toBeLessThanOrEqual(Date.now() + 1000)

  expect((await send({ type: 'track', event: 'No user', messageId: 'm-2' })).status).toBe(200)
  await expect(status).toHaveText('Received, but rejected: No user')
  await expect(main).toContainText('An event needs a userId or an anonymousId.')
  await page.reload()
  await expect(status).toHaveText('Received, but rejected: No user')
  await main.getByRole('link', { name: 'Show live events' }).click()
  await expect(page.getByRole('tab', { name: 'Live events' })).toHaveAttribute('aria-selected', 'true')
})
