import type { Locator, Page } from '@playwright/test'
import { createSource, createWorkspace, eventually, type Product, type TestSource } from '@tributary/test-kit'
import { callsTo, recordCalls } from './api-calls.ts'
import { addPerson, signIn } from './people.ts'
import { expect, test } from './product-fixture.ts'
import { sendTracks, type Track } from './tracking.ts'

const text = { type: 'string' }
const number = { type: 'number' }
const lines = { type: 'array', items: { properties: { sku: text } } }
const schema = {
  events: { Ordered: { properties: { total: number, lines }, required: ['total'] } },
}
const change = (product: Product, source: string, body: object): Promise<unknown> =>
  product.api.ok('PATCH', `/${source}`, body)

const misfits: readonly Track[] = [
  { event: 'Ordered', messageId: 'type-1', properties: { total: '5' } },
  { event: 'Ordered', messageId: 'type-2', properties: { total: '6' } },
  { event: 'Ordered', messageId: 'item', properties: { total: 5, lines: [{ sku: 'A', price: 3 }] } },
  { event: 'Signed Up', messageId: 'new', properties: { plan: 'team' } },
]

type Validated = TestSource & { organization: string }

/** Creates a source whose stored events do not match its schema. */
const misfitting = async (product: Product, enforcement: 'allow' | 'block' = 'allow'): Promise<Validated> => {
  const { workspace, organization } = await createWorkspace(product.api, 'Violations')
  const made = await createSource(product.api, workspace, 'Shop')
  await change(product, made.source, { schema: JSON.stringify(schema), enforcement })
  expect(await sendTracks(product.url, made.key, misfits)).toBe(200)
  await eventually(
    'the violations are counted',
    async () => ((await product.api.ok('GET', `/${made.source}/violations`)).violations as unknown[]).length === 3,
  )
  return { ...made, organization }
}

const rows = (page: Page): Locator =>
  page.getByRole('table', { name: 'Violations' }).getByRole('rowgroup').last().getByRole('row')
const openRow = (page: Page, name: RegExp): Promise<void> => rows(page).filter({ hasText: name }).click()
const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true })

test('violations are listed by event and property, most frequent first, with counts, newest events, and a way to fix them', async ({
  signedIn: page,
  product,
}) => {
  const { source } = await misfitting(product)
  await page.goto(`/${source}#violations`)
  await expect(rows(page)).toHaveCount(3)
  await expect(rows(page).first()).toHaveText(/Ordered.*total.*Type mismatch.*2.*2.*2.*now|sec/)
  await expect(rows(page).filter({ hasText: 'lines › price' })).toHaveText(/Unknown property/)
  await expect(rows(page).filter({ hasText: 'Signed Up' })).toHaveText(/New event/)
  await page.getByRole('searchbox', { name: 'Search events and properties' }).fill('unknown')
  await expect(rows(page)).toHaveCount(1)
  await page.getByRole('searchbox', { name: 'Search events and properties' }).fill('')

  // The row of a wrong type links to the property, which is then visible and has the focus.
  await openRow(page, /Type mismatch/)
  await page.getByRole('link', { name: 'Open in schema' }).click()
  await expect(page).toHaveURL(/at=%2Fevents%2FOrdered%2Fproperties%2Ftotal#schema$/)
  const total = page.getByRole('listitem', { name: 'total', exact: true })
  await expect(total).toBeFocused()
  await expect(total).toBeInViewport()

  // A property that the schema lacks can be added from the page, with its name filled in.
  await page.goto(`/${source}#violations`)
  await rows(page).filter({ hasText: 'Unknown property' }).getByRole('link', { name: 'Add to schema' }).click()
  await expect(page.getByText('lines › price is not in the schema of Ordered.')).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Property name' })).toHaveValue('price')
  await page.getByRole('dialog').getByRole('combobox', { name: 'Type' }).selectOption('number')
  await button(page, 'Add').click()
  await expect(page.getByRole('listitem', { name: 'lines › price', exact: true })).toBeFocused()
  await button(page, 'Save schema').click()
  await expect(page.getByText('Source schema updated', { exact: true })).toBeVisible()

  // A property that was added to the schema shows since when, and is not offered again.
  await page.goto(`/${source}#violations`)
  await openRow(page, /price.*Unknown property/)
  await expect(page.getByRole('dialog').getByRole('link', { name: 'Add to schema' })).toHaveCount(0)
  await page
    .getByRole('dialog')
    .getByRole('link', { name: /^Fixed in v\d+$/ })
    .click()
  await expect(page.getByRole('dialog', { name: /^Version \d+$/ })).toContainText('price')

  await page.goto(`/${source}#violations`)
  await openRow(page, /New event/)
  await page.getByRole('dialog').getByRole('link', { name: 'Add to schema' }).click()
  await expect(page.getByText('Signed Up is not in the schema.')).toBeVisible()
  await button(page, 'Suggest from your events').click()
  const proposed = page.getByRole('list', { name: 'Proposed events' })
  await expect(proposed.getByRole('checkbox', { name: /^All of/ })).toHaveCount(1)
  await expect(proposed.getByRole('checkbox', { name: 'plan' })).toBeChecked()
  await button(page, 'Add to schema').click()
  await expect(page.getByRole('button', { name: /^Signed Up/ })).toBeFocused()

  await page.goto(`/${source}#violations`)
  await openRow(page, /Type mismatch/)
  await page.getByRole('list', { name: 'Recent events with this violation' }).getByRole('link').first().click()
  await expect(page).toHaveURL(/\/events\/[^/]+$/)
  await expect(page.getByRole('heading', { name: 'Ordered' }).first()).toBeVisible()
})

test('blocked events are counted, and a replay reports how many were sent again and how many still violate the schema', async ({
  signedIn: page,
  product,
}) => {
  const { source } = await misfitting(product, 'block')
  await page.goto(`/${source}#violations`)
  const kept = page.getByRole('region', { name: 'Blocked events' })
  await expect(kept).toContainText('4 events blocked')
  await change(product, source, {
    schema: JSON.stringify({ events: { Ordered: { properties: { total: text, lines }, required: ['total'] } } }),
  })
  const calls = recordCalls(page)
  await button(page, 'Replay blocked events').click()
  await expect(kept.getByRole('status')).toHaveText(
    '2 events sent again; 2 events still do not match. Fix the schema and replay again.',
  )
  await expect(kept).toContainText('2 events blocked')
  expect(callsTo(calls, ':replayBlockedEvents').map(({ verb, body }) => [verb, body])).toEqual([['POST', {}]])
})

test('a source without violations says so, and explains what the list would show', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Nothing wrong')
  const { source } = await createSource(product.api, workspace, 'Shop')
  await page.goto(`/${source}`)
  await page.getByRole('tab', { name: 'Violations' }).click()
  await expect(page).toHaveURL(/#violations$/)
  await expect(page.getByRole('heading', { name: 'No violations' })).toBeVisible()
  await page.getByRole('link', { name: 'Open schema' }).click()
  await expect(page.getByRole('tab', { name: 'Schema' })).toHaveAttribute('aria-selected', 'true')
})

test('a guest reads violations, and can neither replay events nor add properties', async ({
  page,
  product,
  database,
}) => {
  const { source, organization } = await misfitting(product, 'block')
  await signIn(page, await addPerson(database, 'Gil', { organization, role: 'ORG_GUEST' }))
  await page.goto(`/${source}#violations`)
  await expect(page.getByRole('region', { name: 'Blocked events' })).toContainText('4 events blocked')
  await expect(button(page, 'Replay blocked events')).toHaveCount(0)
  await openRow(page, /New event/)
  await page.getByRole('link', { name: 'Open in schema' }).click()
  await expect(page.getByText('Signed Up is not in the schema.')).toBeVisible()
  await expect(button(page, 'Add event')).toHaveCount(0)
})
