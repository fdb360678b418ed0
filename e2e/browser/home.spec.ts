import type { Locator, Page } from '@playwright/test'
import { createSource, createWorkspace, eventually, type Product } from '@tributary/test-kit'
import { callsTo, recordCalls, refuse } from './api-calls.ts'
import { expect, test } from './product-fixture.ts'
import { sendTracks } from './tracking.ts'

const range = (page: Page): Locator => page.getByRole('combobox', { name: 'Date range' })
const metrics = (page: Page): Locator => page.getByRole('region', { name: 'Metrics' })
const figure = (page: Page, title: string): Locator => metrics(page).locator(':scope > div', { hasText: title })
const plot = (page: Page): Locator => page.getByRole('slider', { name: 'Events received by' })

const queriesOf = (paths: readonly { path: string }[]): URLSearchParams[] =>
  paths.map(({ path }) => new URLSearchParams(path.split('?')[1]))

/** Creates a workspace whose source has received `count` events of three users. */
const receiving = async (product: Product, title: string, count: number) => {
  const { workspace, organization } = await createWorkspace(product.api, title)
  const made = await createSource(product.api, workspace, 'Shop')
  const tracks = Array.from({ length: count }, (_, index) => ({ event: 'Order Completed', messageId: `m-${index}` }))
  expect(await sendTracks(product.url, made.key, tracks)).toBe(200)
  await eventually(
    'the events are stored',
    async () => ((await product.api.ok('GET', `/${workspace}/events`)).events as unknown[]).length === count,
  )
  return { workspace, organization, ...made }
}

test('DATA-03: home opens with the last 7 days by day, and the URL keeps another range', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Ranges')
  const calls = recordCalls(page)
  await page.goto(`/${workspace}`)
  await expect(range(page)).toHaveValue('7days')
  await expect(range(page).getByRole('option')).toHaveText([
    'Last 24 hours',
    'Last 7 days',
    'Last 30 days',
    'Last 90 days',
  ])
  await expect(figure(page, 'Events received')).toContainText('Same as the previous 7 days')
  const received = queriesOf(callsTo(calls, '/metrics')).find((query) => query.get('metric') === 'events_received')
  expect(received?.get('granularity')).toBe('day')
  const days = (Number(received?.get('end_date.seconds')) - Number(received?.get('start_date.seconds'))) / 86_400
  expect(days).toBeGreaterThan(12)
  expect(days).toBeLessThanOrEqual(14)

  await range(page).selectOption('Last 24 hours')
  await expect(page).toHaveURL(/\?range=1day$/)
  await expect(figure(page, 'Events received')).toContainText('Same as the previous 24 hours')
  await page.reload()
  await expect(range(page)).toHaveValue('1day')
  await expect
    .poll(() => queriesOf(callsTo(calls, '/metrics')).filter((query) => query.get('granularity') === 'hour').length)
    .toBeGreaterThan(0)
  await range(page).selectOption('Last 7 days')
  await expect(page).toHaveURL(new RegExp(`/${workspace}$`))
})

test('NAV-05, OPEN-12: home counts and charts received events, and a bar links to its events', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await receiving(product, 'Counted', 5)
  await page.goto(`/${workspace}`)
  await expect(figure(page, 'Events received')).toContainText(/Events received5/)
  await expect(figure(page, 'Profiles')).toContainText(/Profiles1/)
  await expect(figure(page, 'Active sources')).toContainText('1of 1')
  await expect(figure(page, 'Destinations')).toContainText('0 enabled')
  await expect(page.getByRole('link', { name: '0 connections' })).toHaveAttribute('href', `/${workspace}/connections`)
  await expect(figure(page, 'Failed deliveries')).toContainText(/Failed deliveries0/)
  await expect(figure(page, 'Failed syncs')).toContainText(/Failed syncs0/)
  await expect(plot(page)).toHaveAttribute('aria-valuetext', /: Events received 5, Previous 7 days 0$/)
  await plot(page).focus()
  await page.keyboard.press('ArrowLeft')
  await expect(plot(page)).toHaveAttribute('aria-valuetext', /: Events received 0, Previous 7 days 0$/)
  await page.getByRole('button', { name: 'Show table' }).click()
  const rows = page.getByRole('table', { name: 'Events received by day' }).getByRole('row')
  await expect(rows).toHaveCount(8)
  await expect(rows.last().getByRole('cell')).toHaveText(['5', '0'])
  await page.getByRole('button', { name: 'Show chart' }).click()
  const box = await plot(page).boundingBox()
  await plot(page).click({ position: { x: (box?.width ?? 0) - 10, y: 20 } })
  await expect(page.getByRole('heading', { name: 'Events', level: 1 })).toBeVisible()
  await expect(page).toHaveURL(/\/events\?from=.+T00%3A00%3A00\.000Z&to=.+T00%3A00%3A00\.000Z$/)
  await expect(page.getByRole('table', { name: 'Events' }).getByRole('link', { name: 'Order Completed' })).toHaveCount(
    5,
  )
})

test('SES-26: the eye button hides every value and change, and the chart keeps its bars without axes', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await receiving(product, 'Over the shoulder', 3)
  await page.goto(`/${workspace}`)
  await expect(figure(page, 'Events received')).toContainText('up 3')
  const chart = page.locator('section', { has: page.getByRole('heading', { name: 'Events received', level: 2 }) })
  await expect(chart.locator('rect.fill-accent')).toHaveCount(1)
  const height = await chart.locator('rect.fill-accent').getAttribute('height')
  await page.getByRole('button', { name: 'Hide values' }).click()
  for (const title of [
    'Events received',
    'Profiles',
    'Active sources',
    'Destinations',
    'Failed deliveries',
    'Failed syncs',
  ])
    await expect(figure(page, title)).toContainText('••••')
  await expect(figure(page, 'Events received')).not.toContainText('up 3')
  await expect(plot(page)).toHaveAttribute('aria-valuetext', /: hidden$/)
  await expect(chart.locator('rect.fill-accent')).toHaveCount(1)
  expect(await chart.locator('rect.fill-accent').getAttribute('height')).toBe(height)
  const today = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' }).format()
  await expect(chart.getByText(today, { exact: true })).toHaveCount(0)
  await page.reload()
  await expect(figure(page, 'Events received')).toContainText('••••')
  await page.getByRole('button', { name: 'Show values' }).click()
  await expect(chart.getByText(today, { exact: true })).toBeVisible()
})

test('the checklist leads to inviting a teammate, and checks off the step after an invitation', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Alone so far')
  await page.goto(`/${workspace}`)
  await expect(page.getByText('0 of 5 done')).toBeVisible()
  await page.getByRole('button', { name: /Invite a teammate/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Add team members' })
  await dialog.getByRole('textbox', { name: 'Emails' }).fill('teammate@example.com')
  await dialog.getByRole('button', { name: 'Send invitations' }).click()
  await expect(page.getByText('1 of 5 done')).toBeVisible()
  await expect(page.getByText('Invite a teammate (done)')).toBeVisible()
  const flags = await page.evaluate(
    () => JSON.parse(localStorage.getItem('tributary-ui') ?? '{}').state.flags as Record<string, { done: boolean }>,
  )
  expect(flags[`getting-started ${workspace} teammate`]).toEqual({ done: true })
})

test('counts that cannot be loaded show a message in their places, and appear after a retry', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await receiving(product, 'Counting fails', 2)
  let away = true
  await page.route(
    (url) => url.pathname.endsWith('/metrics'),
    (route) => (away ? refuse(503, 'UNAVAILABLE', 'The store is starting')(route) : route.continue()),
  )
  await page.goto(`/${workspace}`)
  await expect(page.getByRole('heading', { name: 'Failed to load the counts' })).toBeVisible()
  await expect(figure(page, 'Profiles')).toContainText('Could not load the count.')
  await expect(page.getByText('Recent activity')).toBeVisible()
  away = false
  await figure(page, 'Profiles').getByRole('button', { name: 'Try again' }).click()
  await expect(figure(page, 'Profiles')).toContainText(/Profiles1/)
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(figure(page, 'Events received')).toContainText(/Events received2/)
})

test("a source's overview counts its own events by compatibility, and its live events keep their URL", async ({
  signedIn: page,
  product,
}) => {
  const { workspace, source, key } = await receiving(product, 'Two sources', 4)
  await createSource(product.api, workspace, 'Silent')
  const response = await fetch(`${product.url}/v1/page`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ userId: 'customer-1', name: 'Home', messageId: 'page' }),
  })
  expect(response.status).toBe(200)
  await eventually(
    'the page is stored',
    async () => ((await product.api.ok('GET', `/${workspace}/events`)).events as unknown[]).length === 5,
  )
  await page.goto(`/${source}#overview`)
  await expect(page.getByRole('tab').first()).toHaveText('Overview')
  await expect(plot(page)).toHaveAttribute(
    'aria-valuetext',
    /: Compatible 1, Needs attention 0, New to the schema 4, Previous 7 days 0$/,
  )
  await expect(figure(page, 'Last event')).toContainText(/now|ago/)
  await expect(figure(page, 'Blocked events')).toContainText(/Blocked events0/)
  await figure(page, 'Rejected events').getByRole('link').click()
  await expect(page).toHaveURL(
    (url) => url.pathname === `/${workspace}/events` && url.searchParams.get('source') === source,
  )
  await page.goBack()
  await page.getByRole('tab', { name: 'Live events' }).click()
  await expect(page).toHaveURL((url) => url.pathname === `/${source}` && url.hash === '')
  await expect(page.getByRole('table', { name: 'Live events' }).getByText('Order Completed')).toHaveCount(4)
})
