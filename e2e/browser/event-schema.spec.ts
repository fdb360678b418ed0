import type { Locator, Page } from '@playwright/test'
import type { Product } from '@tributary/test-kit'
import { callsTo, onCall, openWithRoles, recordCalls, refuse } from './api-calls.ts'
import { type Live, openLive, rows } from './live-page.ts'
import { addPerson, otherPage, signIn } from './people.ts'
import { expect, test } from './product-fixture.ts'

const paid = {
  type: 'object',
  properties: {
    order_id: { type: 'string' },
    total: { type: 'number' },
    coupon: { type: 'string' },
    products: {
      type: 'array',
      items: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'], recommended: [] },
    },
  },
  required: ['order_id'],
  recommended: ['total'],
}

/** Creates a source with a schema of these events, and opens the page of the source. */
const openWithSchema = (page: Page, product: Product, events: object): Promise<Live> =>
  openLive(page, product, (source) =>
    product.api.ok('PATCH', `/${source}?update_mask=schema`, { schema: JSON.stringify({ events }) }),
  )

/** Opens the tab of the newest event that shows how it matches the schema. */
const openCompatibility = async (page: Page): Promise<Locator> => {
  await rows(page).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('tab', { name: 'Compatibility' }).click()
  return dialog
}

const texts = {
  compatible: 'This event is fully compatible with the source schema.',
  incompatible: "This event doesn't exist in the source schema.",
  needsAttention: 'This event is not fully compatible: some properties are missing or have the wrong type.',
}
const icon = (where: Locator, compatibility: keyof typeof texts): Locator =>
  where.getByRole('img', { name: texts[compatibility], exact: true })
const standardRows = (dialog: Locator): Locator =>
  dialog.getByRole('table', { name: 'Standard properties' }).getByRole('rowgroup').last().getByRole('row')
const newProperties = (dialog: Locator): Locator => dialog.getByRole('region', { name: 'New properties' })

test("EVT-02, EVT-45, EVT-46, EVT-47: each row has an icon for the event's compatibility, and hovering shows its text", async ({
  signedIn: page,
  product,
}) => {
  const { send } = await openWithSchema(page, product, { Paid: paid })
  await send([
    { event: 'Paid', messageId: 'fits', properties: { order_id: 'A-1' } },
    { event: 'Shipped', messageId: 'unknown' },
    { event: 'Paid', messageId: 'lacks', properties: {} },
  ])
  await expect(rows(page)).toHaveCount(3)
  for (const [row, compatibility] of [
    [2, 'compatible'],
    [1, 'incompatible'],
    [0, 'needsAttention'],
  ] as const) {
    await icon(rows(page).nth(row), compatibility).hover()
    await expect(page.getByText(texts[compatibility], { exact: true })).toBeVisible()
  }
  await page.getByRole('combobox', { name: 'Compatibility' }).selectOption('Needs attention')
  await expect(rows(page)).toHaveCount(1)
  await expect(icon(rows(page), 'needsAttention')).toBeVisible()
})

test('EVT-19, EVT-43: each property of the schema has a row with its type, its requirement, and the result of its validation', async ({
  signedIn: page,
  product,
}) => {
  const { send } = await openWithSchema(page, product, { Paid: paid })
  await send([{ event: 'Paid', messageId: 'm', properties: { total: 'much', coupon: 'X', products: [{ sku: 1 }] } }])
  await expect(rows(page)).toHaveCount(1)
  const dialog = await openCompatibility(page)
  await expect(standardRows(dialog)).toHaveText([
    /^order_id.*string.*required.*Missing property$/,
    /^total.*number.*recommended.*Type mismatch$/,
    /^coupon.*string.*optional.*Compatible$/,
    /^products.*array.*optional.*Compatible$/,
    /^sku.*string.*required.*Type mismatch$/,
  ])
  await expect(newProperties(dialog)).toHaveCount(0)
})

test('EVT-20, SCH-11, SCH-14, SCH-15, SCH-17: a new property is listed, added with its requirement, and then no longer listed as new', async ({
  signedIn: page,
  product,
}) => {
  const { send, source } = await openWithSchema(page, product, { Paid: paid })
  await send([
    { event: 'Paid', messageId: 'm', properties: { order_id: 'A', gift: true, products: [{ sku: 'S', size: 4 }] } },
  ])
  await expect(rows(page)).toHaveCount(1)
  const dialog = await openCompatibility(page)
  await expect(newProperties(dialog).getByRole('listitem')).toHaveText([
    /^gift.*boolean/,
    /^size.*in items of products.*number/,
  ])
  const requirement = dialog.getByRole('combobox', { name: 'Requirement of gift' })
  await expect(requirement).toHaveValue('optional')
  await requirement.selectOption('recommended')
  const calls = recordCalls(page)
  await dialog.getByRole('button', { name: 'Add to schema: gift' }).click()
  await expect(page.getByText('gift property added to the schema', { exact: true })).toBeVisible()
  await expect(newProperties(dialog).getByRole('listitem')).toHaveText([/^size/])
  await expect(standardRows(dialog).last()).toHaveText(/^gift.*boolean.*recommended.*Compatible$/)
  await expect(icon(dialog, 'needsAttention').first()).toBeVisible()

  const [call] = callsTo(calls, source)
  expect(call).toMatchObject({ verb: 'PATCH', path: `/${source}?update_mask=schema&force_refresh=false` })
  const body = call?.body as { propertyId: string; schema: string }
  expect(Object.keys(body).sort()).toEqual(['propertyId', 'schema'])
  expect(body.propertyId).toBe('/events/Paid/properties/gift')
  expect(JSON.parse(body.schema).events.Paid).toMatchObject({
    properties: { ...paid.properties, gift: { type: 'boolean' } },
    required: ['order_id'],
    recommended: ['total', 'gift'],
  })

  await dialog.getByRole('button', { name: 'Add to schema: products.size' }).click()
  await expect(page.getByText('size property added to the schema', { exact: true })).toBeVisible()
  await expect(newProperties(dialog)).toHaveCount(0)
  await expect(icon(dialog, 'compatible').first()).toBeVisible()
  await dialog.getByRole('button', { name: 'Close', exact: true }).click()
  await expect(icon(rows(page), 'compatible')).toBeVisible()
  const stored = (await product.api.ok('GET', `/${source}`)).schema as { schema: string }
  expect(JSON.parse(stored.schema).events.Paid.properties.products.items.properties).toEqual({
    sku: { type: 'string' },
    size: { type: 'number' },
  })
})

test('EVT-21, SCH-12: an event that the schema lacks is shown as new, and can be added with its received properties', async ({
  signedIn: page,
  product,
}) => {
  const { send, source } = await openWithSchema(page, product, { Paid: paid })
  await send([{ event: 'Shipped', messageId: 'older', properties: { parcel: 'P-0', weight: 1 } }])
  await send([{ event: 'Shipped', messageId: 'm', properties: { parcel: 'P-1', weight: 2.5, note: null } }])
  await expect(rows(page)).toHaveCount(2)
  const dialog = await openCompatibility(page)
  await expect(
    dialog.getByText('This event was not found in the source schema. It appears to be a new event.', { exact: true }),
  ).toBeVisible()
  await expect(dialog.getByRole('list', { name: 'Properties' }).getByRole('listitem')).toHaveText([
    /^parcel.*string/,
    /^weight.*number/,
  ])
  await dialog.getByRole('combobox', { name: 'Requirement of parcel' }).selectOption('required')
  await dialog.getByRole('button', { name: 'Add event to schema' }).click()
  await expect(page.getByText('Source schema updated', { exact: true })).toBeVisible()
  await expect(standardRows(dialog)).toHaveText([
    /^parcel.*string.*required.*Compatible$/,
    /^weight.*number.*optional.*Compatible$/,
  ])
  const stored = (await product.api.ok('GET', `/${source}`)).schema as { schema: string }
  expect(Object.keys(JSON.parse(stored.schema).events).sort()).toEqual(['Paid', 'Shipped'])

  // The other row was never opened, and is also validated again. The same happens when another user changes the schema.
  await dialog.getByRole('button', { name: 'Close', exact: true }).click()
  // The note of this row has no type that could be added.
  await expect(icon(rows(page).nth(0), 'needsAttention')).toBeVisible()
  await expect(icon(rows(page).nth(1), 'compatible')).toBeVisible()
  const filter = page.getByRole('combobox', { name: 'Compatibility' })
  await filter.selectOption('incompatible')
  await expect(rows(page)).toHaveCount(0)
  await product.api.ok('PATCH', `/${source}?update_mask=schema`, { schema: JSON.stringify({ events: { Paid: paid } }) })
  await expect(rows(page)).toHaveCount(2)
  for (const index of [0, 1]) await expect(icon(rows(page).nth(index), 'incompatible')).toBeVisible()
})

test('SCH-18: a schema that the server refuses stays unchanged, and no success is shown', async ({
  signedIn: page,
  product,
}) => {
  const full = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`p${index}`, { type: 'string' }]))
  const { send, source } = await openWithSchema(page, product, { Paid: { properties: full } })
  await send([{ event: 'Paid', messageId: 'm', properties: { gift: true } }])
  await expect(rows(page)).toHaveCount(1)
  const faults: Error[] = []
  page.on('pageerror', (error) => faults.push(error))
  const dialog = await openCompatibility(page)
  const answer = page.waitForResponse((response) => response.request().method() === 'PATCH')
  await dialog.getByRole('button', { name: 'Add to schema: gift' }).click()
  const refused = await answer
  expect(refused.status()).toBe(400)
  expect(Object.keys((await refused.json()).metadata)).toEqual(['schema'])
  await expect(newProperties(dialog).getByRole('listitem')).toHaveText([/^gift/])
  await expect(standardRows(dialog)).toHaveCount(500)
  await expect(page.locator('[data-sonner-toast]')).toHaveCount(0)
  expect(faults).toEqual([])

  await onCall(page, source, async (route) =>
    route.request().method() === 'PATCH'
      ? refuse(503, 'UNAVAILABLE', 'The store is starting')(route)
      : route.fallback(),
  )
  await dialog.getByRole('button', { name: 'Add to schema: gift' }).click()
  await expect(page.locator('[data-sonner-toast]')).toContainText('The store is starting')
  await expect(newProperties(dialog).getByRole('listitem')).toHaveText([/^gift/])
})

test('the view shows which schema version validated an event, and validates it again after the schema changed', async ({
  signedIn: page,
  product,
}) => {
  const { send, source } = await openWithSchema(page, product, {})
  await send([{ event: 'Paid', messageId: 'm' }])
  await expect(icon(rows(page), 'incompatible')).toBeVisible()
  await expect(
    (await openCompatibility(page)).getByText('Checked against version 1, the current schema.'),
  ).toBeVisible()
  await product.api.ok('PATCH', `/${source}?update_mask=schema`, { schema: JSON.stringify({ events: { Paid: {} } }) })
  await page.reload()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('tab', { name: 'Compatibility' }).click()
  await expect(
    dialog.getByText(
      'Checked against the current schema (version 2). When it was received, version 1 found it: new to the schema.',
    ),
  ).toBeVisible()
  await expect(icon(dialog, 'compatible').first()).toBeVisible()
})

test('a rejected event is not validated, a page call always fits, and a guest sees new properties without a button to add them', async ({
  signedIn: page,
  product,
  chromium,
  database,
}) => {
  const { send, key, source, organization } = await openWithSchema(page, product, { Paid: paid })
  await send([{ event: '', messageId: 'nameless' }])
  await expect(rows(page)).toHaveCount(1)
  const dialog = await openCompatibility(page)
  await expect(dialog.getByText('Rejected events are not checked against the schema.')).toBeVisible()
  await dialog.getByRole('button', { name: 'Close', exact: true }).click()
  const response = await fetch(`${product.url}/v1/page`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ userId: 'u', name: 'Home' }),
  })
  expect(response.status).toBe(200)
  await expect(icon(rows(page).first(), 'compatible')).toBeVisible()
  await openCompatibility(page)
  await expect(dialog.getByText(/A page event is always compatible/)).toBeVisible()

  await send([{ event: 'Paid', messageId: 'm', properties: { order_id: 'A', gift: true } }])
  const guest = await addPerson(database, 'Guest', { organization, role: 'ORG_GUEST' })
  await using other = await otherPage(chromium, product)
  await signIn(other.page, guest)
  await openWithRoles(other.page, `/${source}`)
  await expect(rows(other.page)).toHaveCount(3)
  const theirs = await openCompatibility(other.page)
  await expect(newProperties(theirs)).toContainText('Administrators and collaborators can add them.')
  await expect(theirs.getByRole('button', { name: /Add/ })).toHaveCount(0)
  await expect(theirs.getByRole('combobox')).toHaveCount(0)
})
