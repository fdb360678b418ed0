import { createHmac } from 'node:crypto'
import { createSource, createWorkspace } from '@tributary/test-kit'
import { backlogged } from '../screens/prepare.ts'
import { recordCalls } from './api-calls.ts'
import { expect, test } from './product-fixture.ts'
import { untilRefused } from './tracking.ts'

test("Stripe's secret is requested on the set-up page, set once, and never shown; then webhook calls are accepted", async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Payments')
  const { source, key } = await createSource(product.api, workspace, 'Payments', 'stripe')
  await page.goto(`/${source}#setup`)
  await expect(page.getByText('The signing secret is not set yet, so every delivery is refused.')).toBeVisible()
  await expect(page.getByText(`${product.url}/v1/webhook?writeKey=${key}`)).toBeVisible()
  await page.getByRole('link', { name: 'Set it' }).click()

  const settings = page.getByRole('region', { name: 'Settings' })
  const secret = settings.getByLabel('Signing secret', { exact: true })
  await secret.fill('whsec_of_mine')
  const calls = recordCalls(page)
  await settings.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Setting Updated')).toBeVisible()
  expect(calls[0]).toMatchObject({
    verb: 'POST',
    path: `/${source}/app:updateSetting`,
    body: { name: 'signing_secret', value: 'whsec_of_mine' },
  })
  await expect(secret).toHaveValue('')
  await expect(secret).toHaveAttribute('placeholder', /set; type to replace/)

  const deliver = async (signedWith: string): Promise<number> => {
    const body = JSON.stringify({
      id: `evt_${signedWith}`,
      object: 'event',
      type: 'invoice.paid',
      data: { object: {} },
    })
    const time = Math.floor(Date.now() / 1000)
    const signature = createHmac('sha256', signedWith).update(`${time}.${body}`).digest('hex')
    const headers = { 'stripe-signature': `t=${time},v1=${signature}` }
    return (await fetch(`${product.url}/v1/webhook?writeKey=${key}`, { method: 'POST', headers, body })).status
  }
  expect([await deliver('whsec_of_mine'), await deliver('whsec_of_others')]).toEqual([200, 401])
  await untilRefused(product.api, ({ reason }) => reason === 'SIGNATURE_INVALID', source)
  await page.goto(`/${source}#refused`)
  await expect(page.getByRole('table').getByText('Signature invalid')).toBeVisible()

  await page.goto(`/${source}#setup`)
  await expect(page.getByText('is not set yet')).toHaveCount(0)
  await page.goto(`/${source}#settings`)
  await settings.getByRole('button', { name: 'Remove' }).click()
  await expect(settings.getByRole('button', { name: 'Remove' })).toHaveCount(0)
  await expect(secret).toHaveAttribute('placeholder', '')
  expect(JSON.stringify(await product.api.ok('GET', `/${source}`))).not.toContain('whsec')
})

test('a template is previewed with a body while it is edited, and the saved template has the same result', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Hooks')
  const { source, key } = await createSource(product.api, workspace, 'Tickets', 'webhook')
  await page.goto(`/${source}#settings`)
  const settings = page.getByRole('region', { name: 'Settings' })
  await settings.getByRole('button', { name: 'Use this as a template' }).click()
  const template = settings.getByLabel('Template', { exact: true })
  await expect(template).toContainText('"event": "webhook_source_event"')
  const preview = settings.getByRole('region', { name: 'Preview' })
  await expect(preview.getByText('"webhook_source_event"')).toBeVisible()

  // A part is inserted at the cursor.
  await template.fill('{"event": "Ticket ')
  await settings.getByRole('button', { name: 'Insert body' }).click()
  await expect(template).toHaveText('{"event": "Ticket {{ body.name }}')
  await template.fill('{"event": "Ticket {{ body.state | nope }}", "userId": "{{ body.customer.id }}"}')
  await expect(preview.getByRole('alert')).toContainText('Error at >> 1| {"event": "Ticket {{ body.state | nope }}"')
  await expect(settings.getByText(/^Error at >> 1\| /).first()).toBeVisible()
  await expect(settings.getByRole('button', { name: 'Apply' })).toBeDisabled()
  expect(
    ((await product.api.ok('GET', `/${source}`)).app as { settings: { value: unknown }[] }).settings[0]?.value,
  ).toBeNull()

  await template.fill('{"event": "Ticket {{ body.state | upcase }}", "userId": "{{ body.customer.id }}"}')
  await expect(preview.getByText('"Ticket CLOSED"')).toBeVisible()
  await preview.getByLabel('Test with a body').fill('{"state":"open"')
  await expect(preview.getByRole('alert')).toContainText('Requests like this one are refused: INVALID_JSON')
  await preview.getByLabel('Test with a body').fill('{"state":"open","customer":{"id":"u-7"}}')
  await expect(preview.getByText('"Ticket OPEN"')).toBeVisible()
  await expect(preview.getByLabel('1 event', { exact: true }).getByText('"u-7"', { exact: true })).toBeVisible()
  await settings.getByRole('button', { name: 'Apply' }).click()
  await expect(page.getByText('Setting Updated')).toBeVisible()
  // The body of the last test stays in the form.
  await expect(preview.getByText('"Ticket OPEN"')).toBeVisible()

  const body = '{"state":"merged","customer":{"id":"u-9"}}'
  expect((await fetch(`${product.url}/v1/webhook?writeKey=${key}`, { method: 'POST', body })).status).toBe(200)
  await expect
    .poll(async () => ((await product.api.ok('GET', `/${source}/events`)) as { events: { title: string }[] }).events, {
      timeout: 60_000,
    })
    .toMatchObject([{ title: 'Ticket MERGED' }])
})

test('on a phone, the selected tab is fully visible, also when a count widens a tab before it', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Tabs')
  const { source } = await createSource(product.api, workspace, 'Shop')
  const counted = Promise.withResolvers<void>()
  await backlogged(page)
  await page.route(
    (url) => url.pathname.endsWith('/refusedRequests'),
    async (route) => {
      await counted.promise
      await route.fallback()
    },
  )
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`/${source}#settings`)
  const tab = page.getByRole('tab', { name: 'Settings' })
  await expect(tab).toBeInViewport({ ratio: 0.9 })
  counted.resolve()
  await expect(page.getByRole('tab', { name: /^Refused requests ?\d/ })).toBeAttached()
  await expect(tab).toBeInViewport({ ratio: 0.9 })
})
