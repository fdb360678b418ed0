import type { Locator, Page } from '@playwright/test'
import { Analytics } from '@segment/analytics-node'
import {
  adminCredentials,
  createSource,
  createWebhook,
  createWorkspace,
  eventually,
  type Product,
  startProduct,
  startWebhookReceiver,
} from '@tributary/test-kit'
import { openWithRoles } from './api-calls.ts'
import { addPerson, signIn } from './people.ts'
import { expect, test } from './product-fixture.ts'

const rows = (page: Page, name: string): Locator => page.getByRole('table', { name }).getByRole('row')
const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true })
const condition = (page: Page, name: string): Locator => page.getByRole('listitem', { name, exact: true })

/** Types into a field with suggestions, and leaves it. */
const enter = async (page: Page, name: string, text: string): Promise<void> => {
  const field = page.getByRole('combobox', { name, exact: true })
  await field.fill(text)
  await field.press('Tab')
}

const send = async (product: Product, key: string, ...batch: object[]): Promise<void> => {
  const response = await fetch(`${product.url}/v1/batch`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ batch }),
  })
  expect(response.status).toBe(200)
}

const order = (userId: string, total: number) => ({
  type: 'track',
  event: 'Order Completed',
  userId,
  properties: { total },
})

/** Creates a workspace with the profiles ada (two orders) and bob (one order). */
const withCustomers = async (product: Product, title: string): Promise<{ workspace: string; key: string }> => {
  const { workspace } = await createWorkspace(product.api, title)
  const { source, key } = await createSource(product.api, workspace, 'Shop')
  await send(product, key, order('ada', 120), order('ada', 150), order('bob', 10), {
    type: 'identify',
    userId: 'ada',
    traits: { email: 'ada@example.com', plan: 'pro', since: '2020-01-31' },
  })
  await eventually('events and profiles are there', async () => {
    const events = (await product.api.ok('GET', `/${source}/events`)).events as unknown[]
    const found = (await product.api.ok('GET', `/${workspace}/profiles?search=pro`)).profiles as unknown[]
    return events.length === 4 && found.length === 1
  })
  return { workspace, key }
}

test('SEG-10, SEG-12, OPEN-34, OPEN-36, AMB-90: an audience is built, counted, saved, entered by an event, edited, and deleted', async ({
  signedIn: page,
  product,
}) => {
  const { workspace, key } = await withCustomers(product, 'Audiences')
  await using receiver = await startWebhookReceiver()
  const { source: unused } = await createSource(product.api, workspace, 'Unused')
  await createWebhook(product.api, workspace, unused, { url: receiver.url }, 'Shop webhook')
  await page.goto(`/${workspace}/audiences`)
  await expect(page.getByText('Create your first audience')).toBeVisible()
  await page.getByRole('link', { name: 'New audience' }).first().click()
  await page.getByRole('textbox', { name: 'Title' }).fill('Spenders')
  await page.getByRole('combobox', { name: 'Event', exact: true }).fill('Order')
  await page.getByRole('option', { name: 'Order Completed' }).click()
  const panel = page.getByRole('status')
  await expect(panel.filter({ hasText: '2 profiles' })).toBeVisible()
  await condition(page, 'Event condition 1').getByRole('button', { name: 'Add property' }).click()
  await enter(page, 'Property', 'total')
  await page.getByRole('combobox', { name: 'Type' }).selectOption('Number')
  await page.getByRole('combobox', { name: 'Comparison' }).selectOption('is greater than')
  await enter(page, 'Value', '100')
  await expect(panel.filter({ hasText: '1 profile' })).toBeVisible()
  await expect(
    page.getByText('Profiles that did Order Completed where total is greater than 100 in the last 30 days.'),
  ).toBeVisible()
  // Groups, segments and conditions can be added and removed.
  await button(page, 'Add group').click()
  await expect(page.getByRole('region', { name: 'Group 2', exact: true })).toBeVisible()
  await button(page, 'Undo').click()
  await expect(page.getByRole('region', { name: 'Group 2', exact: true })).toBeHidden()
  await button(page, 'Redo').click()
  await button(page, 'Delete group 2').click()
  await button(page, 'Add segment').click()
  await button(page, 'Delete segment 2').click()
  await button(page, 'Duplicate condition 1').click()
  await button(page, 'Delete condition 2').click()
  await expect(panel.filter({ hasText: '1 profile' })).toBeVisible()
  await button(page, 'Create').click()
  await expect(page.getByRole('heading', { level: 1, name: 'Spenders' })).toBeVisible()
  await expect(rows(page, 'Profiles').getByRole('link')).toHaveText(['ada@example.com'])
  // A webhook receives the members.
  await page.getByRole('tab', { name: 'Destinations' }).click()
  await button(page, 'Connect destination').click()
  await expect(page.getByText('It receives 1 profile now')).toBeVisible()
  await button(page, 'Connect').click()
  await expect(page.getByRole('list', { name: 'Destinations' })).toContainText('Shop webhook')
  const received = (): unknown[] => receiver.calls.map(({ body }) => JSON.parse(body) as unknown)
  const entered = (userId: string) => expect.objectContaining({ event: 'Audience Entered', userId })
  await expect.poll(received).toEqual([entered('ada')])
  // An event of an SDK makes a user a member, without starting a computation. The page says since when and why.
  await page.getByRole('tab', { name: 'Profiles' }).click()
  const sdk = new Analytics({ writeKey: key, host: product.url, flushInterval: 50 })
  const { event, userId, properties } = order('bob', 500)
  sdk.track({ event, userId, properties })
  await sdk.closeAndFlush()
  await expect(rows(page, 'Profiles').getByRole('link')).toHaveCount(2)
  await page.getByRole('tab', { name: 'History' }).click()
  await expect(page.getByText('2 entered, 0 left')).toBeVisible()
  await expect(rows(page, 'Changes').getByRole('link')).toHaveText(['bob', 'ada@example.com'])
  await page.getByRole('combobox', { name: 'Changes' }).selectOption('Left')
  await expect(page.getByText('No changes')).toBeVisible()
  await page.getByRole('tab', { name: 'Check a profile' }).click()
  await page.getByRole('searchbox', { name: 'Search identifier or trait' }).fill('bob')
  await button(page, 'Check bob').click()
  await expect(page.getByText('1 of 1 condition is true.')).toBeVisible()
  await expect(page.getByText('In the audience', { exact: true })).toBeVisible()
  await page.getByRole('link', { name: 'bob', exact: true }).click()
  await page.getByRole('tab', { name: 'Audiences' }).click()
  await expect(rows(page, 'Audiences').filter({ hasText: 'Spenders' })).toContainText('In')
  await page.getByRole('link', { name: 'Spenders', exact: true }).click()
  await expect(page.getByText('1 of 1 condition is true.')).toBeVisible()
  await expect.poll(received).toEqual([entered('ada'), entered('bob')])
  await page.getByRole('tab', { name: 'SQL' }).click()
  await expect(page.getByText('from events').first()).toBeVisible()
  await button(page, 'Pause').click()
  await expect(page.getByText('Paused', { exact: true })).toBeVisible()
  await button(page, 'Resume').click()
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  await page.getByRole('link', { name: 'Edit' }).click()
  await enter(page, 'Value', '1000')
  await expect(panel.filter({ hasText: '0 profiles' })).toBeVisible()
  await button(page, 'Save Changes').click()
  await expect(page.getByText('No profile meets the conditions')).toBeVisible()
  await page.getByRole('tab', { name: 'Settings' }).click()
  await button(page, 'Delete audience').click()
  await expect(page.getByRole('dialog')).toContainText('Shop webhook is disconnected')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete audience' }).click()
  await expect(page.getByText('Create your first audience')).toBeVisible()
})

test('SEG-09, SEG-13: each element shows its own error as specified, and deleting the element removes the error', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Errors')
  await page.goto(`/${workspace}/audiences/new`)
  await page.getByRole('textbox', { name: 'Times' }).fill('1a')
  await expect(condition(page, 'Event condition 1').getByText('Only numbers are allowed')).toBeVisible()
  await page.getByRole('textbox', { name: 'Times' }).fill('1')
  await page.getByRole('textbox', { name: 'Number of days or months' }).fill('91')
  await enter(page, 'Event', 'Seen')
  await expect(page.getByText("Days can't exceed an interval of 90 days")).toBeVisible()
  await page.getByRole('combobox', { name: 'Unit of time' }).selectOption('months (30 days)')
  await expect(page.getByText("Months can't exceed an interval of 3 months")).toBeVisible()
  await button(page, 'Add trait condition').click()
  await enter(page, 'Trait', 'age')
  await page.getByRole('combobox', { name: 'Type' }).selectOption('Number')
  await page.getByRole('combobox', { name: 'Comparison' }).selectOption('is one of')
  await expect(page.getByText('Please submit at least one element')).toBeVisible()
  const values = page.getByPlaceholder('Values, each with Enter')
  await values.fill('x')
  await values.press('Enter')
  await expect(page.getByText('Elements must be numbers')).toBeVisible()
  await button(page, 'Delete condition 2').click()
  await expect(page.getByText('Elements must be numbers')).toBeHidden()
  await expect(page.getByText("Months can't exceed an interval of 3 months")).toBeVisible()
  await button(page, 'Create').click()
  await expect(page.getByRole('textbox', { name: 'Title' })).toHaveAccessibleDescription('Required')
})

test('dates and pasted lists can be conditions, and the sentence describes them', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await withCustomers(product, 'Dates')
  await page.goto(`/${workspace}/audiences/new`)
  await button(page, 'Add trait condition').click()
  await button(page, 'Delete condition 1').click()
  await enter(page, 'Trait', 'since')
  await page.getByRole('combobox', { name: 'Type' }).selectOption('Date')
  await page.getByRole('combobox', { name: 'Comparison' }).selectOption('is more than … days ago')
  await page.getByRole('textbox', { name: 'Days' }).fill('0')
  await expect(page.getByText('Must be greater than 0')).toBeVisible()
  await page.getByRole('textbox', { name: 'Days' }).fill('30')
  const panel = page.getByRole('status')
  await expect(panel.filter({ hasText: '1 profile' })).toBeVisible()
  await expect(page.getByText('have traits where since is more than 30 days ago.')).toBeVisible()
  await page.getByRole('combobox', { name: 'Comparison' }).selectOption('is between')
  await page.getByLabel('First day').fill('2020-02-01')
  await page.getByLabel('Last day').fill('2020-01-01')
  await expect(page.getByText('The second date must not be before the first one')).toBeVisible()
  await page.getByLabel('First day').fill('0001-01-01')
  await page.getByLabel('Last day').fill('2020-01-31')
  await expect(page.getByText('since is between 0001-01-01 and 2020-01-31.')).toBeVisible()
  await expect(panel.filter({ hasText: '1 profile' })).toBeVisible()
  await button(page, 'Add trait').click()
  const name = page.getByRole('combobox', { name: 'Trait', exact: true }).last()
  await name.fill('plan')
  await name.press('Tab')
  await page.getByRole('combobox', { name: 'Comparison' }).last().selectOption('is none of, or is missing')
  const pasted = Array.from({ length: 1000 }, (_, index) => `plan ${index}`).join('\r\n')
  await page.getByPlaceholder('Values, each with Enter').evaluate((element, text) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', text)
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, pasted)
  await expect(page.getByText('One value per line. 1,000 in all')).toBeVisible()
  await expect(page.getByText('plan is missing or is none of “plan 0”, “plan 1”, “plan 2” and 997 more.')).toBeVisible()
  await expect(panel.filter({ hasText: '1 profile' })).toBeVisible()
})

test("a user who saves over another user's change gets a conflict, and every version can be restored", async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Versions')
  const query = { id: 'bbbb', type: 'event', selectedEvent: 'Order Completed' }
  const { name } = await product.api.ok('POST', `/${workspace}/audiences`, {
    title: 'Buyers',
    query: { groups: { cccc: { segments: [{ id: 'dddd', queries: [query] }] } } },
  })
  await page.goto(`/${String(name)}/edit`)
  await page.getByRole('textbox', { name: 'Title' }).fill('Mine')
  await product.api.ok('PATCH', `/${String(name)}?update_mask=title`, { title: 'Theirs' })
  await button(page, 'Save Changes').click()
  const conflict = page.getByRole('alert', { name: 'The audience has changed' })
  await expect(conflict).toContainText('saved version 2')
  await expect(conflict).toContainText('Theirs')
  await button(page, 'Save mine as the newest version').click()
  await expect(page.getByRole('heading', { level: 1, name: 'Mine' })).toBeVisible()
  await page.getByRole('tab', { name: 'Versions' }).click()
  await expect(rows(page, 'Versions')).toHaveCount(4)
  await rows(page, 'Versions').filter({ hasText: 'Theirs' }).click()
  await expect(page.getByRole('dialog').getByText('did Order Completed')).toBeVisible()
  await button(page, 'Restore this version').click()
  await button(page, 'Restore').click()
  await expect(page.getByRole('heading', { level: 1, name: 'Theirs' })).toBeVisible()
  await expect(rows(page, 'Versions').filter({ hasText: 'Version 2 restored' })).toBeVisible()
})

test('OPEN-40: a guest sees audiences and cannot change them', async ({ page, product, database }) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Guests')
  const query = { id: 'bbbb', type: 'event', selectedEvent: 'Order Completed' }
  await product.api.ok('POST', `/${workspace}/audiences`, {
    title: 'Buyers',
    query: { groups: { cccc: { segments: [{ id: 'dddd', queries: [query] }] } } },
  })
  await signIn(page, await addPerson(database, 'Guest', { organization, role: 'ORG_GUEST' }))
  await openWithRoles(page, `/${workspace}/audiences`)
  await expect(page.getByRole('link', { name: 'New audience' })).toBeHidden()
  await page.getByRole('link', { name: 'Buyers' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Buyers' })).toBeVisible()
  await expect(button(page, 'Compute now')).toBeHidden()
  await expect(page.getByRole('link', { name: 'Edit' })).toBeHidden()
})

test('a profile leaves an audience of last-day events within a minute after the time ends, which History shows', async ({
  chromium,
}) => {
  // The test has its own product, because a clock cannot be moved back. The product takes long to start on a busy
  // machine.
  test.setTimeout(420_000)
  await using product = await startProduct({ movableClock: true, deadlineMs: 240_000 })
  await product.api.login(adminCredentials)
  await using context = await chromium.newContext({ baseURL: product.url, reducedMotion: 'reduce' })
  const page = await context.newPage()
  await signIn(page, adminCredentials)
  const { workspace } = await createWorkspace(product.api, 'Time')
  const { key } = await createSource(product.api, workspace, 'Shop')
  const timeframe = { time: { unit: 'day', value: 1 } }
  const { name } = await product.api.ok('POST', `/${workspace}/audiences`, {
    title: 'Seen lately',
    query: {
      groups: {
        cccc: {
          segments: [{ id: 'dddd', queries: [{ id: 'bbbb', type: 'event', selectedEvent: 'Seen', timeframe }] }],
        },
      },
    },
  })
  await page.goto(`/${String(name)}`)
  await expect(page.getByText('Live', { exact: true })).toBeVisible()
  // Three minutes before the event leaves the one-day window.
  const timestamp = new Date(Date.now() - 24 * 3_600_000 + 180_000).toISOString()
  await send(product, key, { type: 'track', event: 'Seen', userId: 'ada', timestamp })
  await expect(rows(page, 'Profiles').getByRole('link')).toHaveText(['ada'])
  await page.getByRole('tab', { name: 'History' }).click()
  await expect(page.getByText('1 entered, 0 left')).toBeVisible()
  await product.moveClock(240_000)
  await expect(page.getByText('1 entered, 1 left')).toBeVisible({ timeout: 60_000 })
  await expect(rows(page, 'Changes').getByRole('link')).toHaveText(['ada', 'ada'])
  await expect(rows(page, 'Changes').filter({ hasText: 'Left' })).toHaveCount(1)
  await page.getByRole('tab', { name: 'Profiles' }).click()
  await expect(page.getByText('No profile meets the conditions')).toBeVisible()
})
