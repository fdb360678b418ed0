import type { Locator, Page } from '@playwright/test'
import { createSource, createWebhook, createWorkspace, eventually, type Product } from '@tributary/test-kit'
import { callsTo, onCall, recordCalls, refuse } from './api-calls.ts'
import { changeAddress } from './change-address.ts'
import { expect, test } from './product-fixture.ts'

const table = (page: Page): Locator => page.getByRole('table', { name: 'Events' })
const names = (page: Page): Locator => table(page).getByRole('link')
const chips = (page: Page): Locator => page.getByRole('list', { name: 'Active filters' }).getByRole('listitem')

type Sent = Record<string, unknown> & { type: string; messageId: string }

const send = async (product: Product, key: string, batch: readonly Sent[]): Promise<void> => {
  const response = await fetch(`${product.url}/v1/batch`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ batch }),
  })
  expect(response.status).toBe(200)
}

const stored = (product: Product, workspace: string, count: number): Promise<unknown> =>
  eventually(
    `${count} events are stored`,
    async () =>
      ((await product.api.ok('GET', `/${workspace}/events?page_size=200`)).events as unknown[]).length === count,
  )

const batch: readonly Sent[] = [
  {
    type: 'track',
    event: 'Order Completed',
    userId: 'ada',
    messageId: 'order',
    properties: { plan: 'team', total: 12 },
  },
  { type: 'track', event: 'Order Refunded', userId: 'grace', messageId: 'refund', context: { test: true } },
  { type: 'page', anonymousId: 'visitor', name: 'Home', messageId: 'home' },
  { type: 'track', userId: 'ada', messageId: 'broken', properties: {} },
]

const filledWorkspace = async (product: Product, title: string) => {
  const { workspace } = await createWorkspace(product.api, title)
  const shop = await createSource(product.api, workspace, 'Shop')
  const app = await createSource(product.api, workspace, 'App')
  await send(product, shop.key, batch)
  await send(product, app.key, [{ type: 'identify', userId: 'ada', messageId: 'ada', traits: { plan: 'free' } }])
  await stored(product, workspace, batch.length + 1)
  return { workspace, shop, app }
}

test('every filter narrows the list, and the URL keeps the filters over a reload', async ({
  signedIn: page,
  product,
}) => {
  const { workspace, app } = await filledWorkspace(product, 'Explorer')
  await page.goto(`/${workspace}`)
  await page.getByRole('link', { name: 'Explore events' }).click()
  await expect(names(page)).toHaveCount(5)
  await page.getByRole('searchbox', { name: 'Search by event name' }).fill('order')
  await expect(names(page)).toHaveText(['Order Refunded', 'Order Completed'])
  await expect(page).toHaveURL(/\?search=order$/)
  await page.getByRole('button', { name: 'More filters' }).click()
  await page.getByRole('combobox', { name: 'Environment' }).selectOption('Test')
  await expect(names(page)).toHaveText(['Order Refunded'])
  await page.reload()
  await expect(names(page)).toHaveText(['Order Refunded'])
  await expect(page.getByRole('searchbox', { name: 'Search by event name' })).toHaveValue('order')
  await expect(chips(page)).toHaveText(['Name contains: order', 'Environment: Test'])
  await page.getByRole('button', { name: 'Remove filter Environment' }).click()
  await expect(names(page)).toHaveCount(2)
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(page).toHaveURL(/\/events$/)
  await expect(names(page)).toHaveCount(5)
  await expect(page.getByRole('searchbox', { name: 'Search by event name' })).toHaveValue('')

  const only = async (query: string, found: string[]): Promise<void> => {
    await changeAddress(page, `/${workspace}/events?${query}`)
    await expect(names(page)).toHaveText(found)
  }
  await page.getByRole('combobox', { name: 'Source' }).click()
  await page.getByRole('combobox', { name: 'Search', exact: true }).fill('app')
  await expect(page.getByRole('listbox').getByRole('option')).toHaveText([/App/])
  await page.keyboard.press('Enter')
  await expect(names(page)).toHaveText(['identify'])
  await expect(page).toHaveURL(new RegExp(`source=${encodeURIComponent(app.source)}`))
  await page
    .getByRole('row', { name: /identify/ })
    .getByRole('cell', { name: 'ada' })
    .click()
  await expect(page.getByRole('heading', { name: 'identify', level: 1 })).toBeVisible()
  await only('status=rejected', ['track'])
  await only('type=page', ['Home'])
  await only('user=visitor', ['Home'])
  await only('message=refund', ['Order Refunded'])
  await only('property=plan&value=team', ['Order Completed'])
  await only('compatibility=compatible', ['Home'])
  await only('range=1day&type=identify', ['identify'])
  await only(`to=${new Date(Date.now() + 60_000).toISOString()}&message=order`, ['Order Completed'])
})

test('a value is searched for when typing stops, and an incomplete property filter has no effect', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await filledWorkspace(product, 'Typed')
  await page.goto(`/${workspace}/events`)
  await expect(names(page)).toHaveCount(5)
  await page.getByRole('button', { name: 'More filters' }).click()
  const calls = recordCalls(page)
  await page.getByRole('textbox', { name: 'Property or trait' }).pressSequentially('plan')
  await expect(page).toHaveURL(/\?property=plan$/)
  await expect(page.getByText('Enter both a property and a value.')).toBeVisible()
  await page.getByRole('textbox', { name: 'Value' }).pressSequentially('free')
  await expect(names(page)).toHaveText(['identify'])
  await expect(chips(page)).toHaveText(['plan: free'])
  const asked = callsTo(calls, '/events').filter(({ path }) => path.includes('property_value='))
  expect(new Set(asked.map(({ path }) => new URLSearchParams(path.split('?')[1]).get('property_value')))).toEqual(
    new Set(['free']),
  )
})

test('an empty result suggests what to change, a new workspace what to do, and a failure can be retried', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Nothing there')
  await page.goto(`/${workspace}/events`)
  await expect(page.getByRole('heading', { name: 'No events yet' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Add source' })).toBeVisible()
  await page.goto(`/${workspace}/events?search=anything`)
  await expect(page.getByRole('heading', { name: 'No events match' })).toBeVisible()
  await expect(page.getByText('Remove a filter, choose')).toBeVisible()
  await page.getByRole('main').getByRole('button', { name: 'Clear filters' }).last().click()
  await expect(page.getByRole('heading', { name: 'No events yet' })).toBeVisible()
  await onCall(page, '/events', refuse(503, 'UNAVAILABLE', 'The store is starting'))
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Failed to load the events' })).toBeVisible()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByRole('heading', { name: 'No events yet' })).toBeVisible()
})

test('more events are loaded page by page, each once', async ({ signedIn: page, product }) => {
  const { workspace } = await createWorkspace(product.api, 'Many')
  const { key } = await createSource(product.api, workspace)
  await send(
    product,
    key,
    Array.from({ length: 70 }, (_, index) => ({
      type: 'track',
      event: `Event ${index}`,
      userId: 'ada',
      messageId: `m-${index}`,
    })),
  )
  await stored(product, workspace, 70)
  await page.goto(`/${workspace}/events`)
  await expect(page.getByText('50 events shown', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Load more' }).click()
  await expect(page.getByText('70 events shown, no more')).toBeVisible()
  expect(new Set(await names(page).allTextContents()).size).toBe(70)
})

test('the page of an event shows its whole outcome: receipt, validation, each delivery attempt, and the payload', async ({
  signedIn: page,
  product,
  receiver,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Outcome')
  const { source, key } = await createSource(product.api, workspace, 'Shop')
  await createWebhook(product.api, workspace, source, { url: receiver.url }, 'Archive')
  await send(product, key, batch)
  await stored(product, workspace, batch.length)
  await page.goto(`/${workspace}/events?search=order`)
  await page.getByRole('link', { name: 'Order Completed' }).click()
  await expect(page.getByRole('heading', { name: 'Order Completed', level: 1 })).toBeVisible()
  await expect(page.getByText('track event', { exact: true })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Received', exact: true })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'New to the schema', exact: true })).toBeVisible()
  await expect(page.getByText("This event doesn't exist in the source schema.")).toBeVisible()
  const deliveries = page.locator('section', { has: page.getByRole('heading', { name: 'Deliveries' }) })
  await expect(deliveries.getByRole('link', { name: 'Archive' })).toBeVisible()
  await expect(deliveries.getByText('Delivered')).toBeVisible()
  await expect(deliveries.getByText(/^Attempt 1 · HTTP 200/)).toBeVisible()
  await page.getByRole('button', { name: 'Copy', exact: true }).click()
  await expect(page.getByText('Payload copied')).toBeVisible()
  expect(JSON.parse(await page.evaluate(() => navigator.clipboard.readText()))).toMatchObject({
    event: 'Order Completed',
    properties: { plan: 'team', total: 12 },
  })
  await page.getByRole('link', { name: 'ada', exact: true }).click()
  await expect(page).toHaveURL(/\/events\?user=ada$/)
  await expect(names(page)).toHaveText(['track', 'Order Completed'])
  await page.goBack()
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Events' }).click()
  await expect(page).toHaveURL(/\/events\?search=order$/)
})

test('a rejected event shows the reason and the fix, and a missing event shows a message', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await filledWorkspace(product, 'Rejected')
  await page.goto(`/${workspace}/events?status=rejected`)
  await names(page).first().click()
  await expect(page.getByRole('heading', { name: 'Rejected', exact: true })).toBeVisible()
  await expect(page.getByText('A track event needs its name')).toBeVisible()
  await expect(page.getByText('Rejected events are stored but not delivered.')).toBeVisible()
  await onCall(page, '/events/nothing', refuse(404, 'NOT_FOUND', 'event not found'))
  await page.goto(`/${workspace}/events/nothing`)
  await expect(page.getByRole('heading', { name: 'The requested resource was not found.' })).toBeVisible({
    timeout: 60_000,
  })
})

test('violations are shown per property; a blocked event links to its replay, which links to the event sent again', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Blocking')
  const { source, key } = await createSource(product.api, workspace, 'Strict')
  const schema = {
    events: {
      'Order Completed': {
        type: 'object',
        properties: { total: { type: 'number' }, currency: { type: 'string' } },
        required: ['total', 'currency'],
        recommended: [],
      },
    },
  }
  const fitting = { total: { type: 'string' }, gift: { type: 'boolean' } }
  const { schema: before } = (await product.api.ok('GET', `/${source}`)) as { schema: { version: number } }
  await product.api.ok('PATCH', `/${source}?update_mask=schema,enforcement`, {
    schema: JSON.stringify(schema),
    schema_version: before.version,
    enforcement: 'block',
  })
  await send(product, key, [
    { type: 'track', event: 'Order Completed', userId: 'ada', messageId: 'b', properties: { total: '12', gift: true } },
  ])
  await stored(product, workspace, 1)
  await page.goto(`/${workspace}/events?status=blocked`)
  await names(page).first().click()
  const problems = page.getByRole('list', { name: 'Problems' }).getByRole('listitem')
  await expect(problems).toHaveText(['currencyMissing property', 'totalType mismatch', 'giftUnknown property'])
  await expect(page.getByRole('heading', { name: 'Blocked', exact: true })).toBeVisible()
  await expect(
    page.getByText(
      'Blocked events are stored but not delivered. You can replay this event once it matches the schema.',
    ),
  ).toBeVisible()
  const blocked = page.url()
  await page.getByRole('link', { name: 'Fix the schema and replay it' }).click()
  await expect(page).toHaveURL((url) => url.pathname === `/${source}` && url.hash === '#violations')

  const { schema: strict } = (await product.api.ok('GET', `/${source}`)) as { schema: { version: number } }
  await product.api.ok('PATCH', `/${source}?update_mask=schema`, {
    schema: JSON.stringify({
      events: { 'Order Completed': { ...schema.events['Order Completed'], properties: fitting, required: [] } },
    }),
    schema_version: strict.version,
  })
  expect(await product.api.ok('POST', `/${source}:replayBlockedEvents`, {})).toMatchObject({ replayed: 1 })
  await stored(product, workspace, 2)
  await page.goto(blocked)
  await expect(page.getByRole('heading', { name: 'Replayed', exact: true })).toBeVisible()
  await page.getByRole('link', { name: 'See both events' }).click()
  await expect(names(page)).toHaveCount(2)
  await expect(table(page).getByText('Blocked', { exact: true })).toHaveCount(1)
  await expect(table(page).getByText('Compatible', { exact: true })).toHaveCount(1)
})
