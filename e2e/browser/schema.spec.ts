import { readFile } from 'node:fs/promises'
import type { Locator, Page } from '@playwright/test'
import { createSource, createWorkspace, eventually, type Product, type TestSource } from '@tributary/test-kit'
import { callsTo, recordCalls } from './api-calls.ts'
import { addPerson, signIn } from './people.ts'
import { expect, test } from './product-fixture.ts'
import { sendTracks } from './tracking.ts'

type Properties = Record<string, { type: string; description?: string; items?: object }>

const event = (properties: Properties, required: string[] = [], recommended: string[] = []) => ({
  type: 'object',
  properties,
  required,
  recommended,
})
const text = { type: 'string' }
const number = { type: 'number' }
const order = event(
  { order_id: text, total: number, currency: text, products: { type: 'array', items: event({ sku: text }, ['sku']) } },
  ['order_id', 'total'],
  ['currency'],
)
const shop = {
  events: { 'Order Completed': order, 'Product Viewed': event({ sku: text }) },
  user: event({ email: text }),
}

const put = (product: Product, source: string, schema: object): Promise<unknown> =>
  product.api.ok('PATCH', `/${source}?update_mask=schema`, { schema: JSON.stringify(schema) })

/** Returns the schema that the server has stored for a source. */
const saved = async (product: Product, source: string): Promise<typeof shop> => {
  const { schema } = await product.api.ok('GET', `/${source}`)
  return JSON.parse((schema as { schema: string }).schema)
}

type Made = TestSource & { organization: string }

/** Creates a source with a schema, and opens the tab of the schema. */
const openSchema = async (page: Page, product: Product, schema: object = shop, at = ''): Promise<Made> => {
  const { workspace, organization } = await createWorkspace(product.api, 'Schemas')
  const made = await createSource(product.api, workspace, 'Online shop')
  await put(product, made.source, schema)
  await page.goto(`/${made.source}${at}#schema`)
  await expect(page.getByRole('heading', { name: 'Events', exact: true })).toBeVisible()
  return { ...made, organization }
}

const eventRow = (page: Page, title: string): Locator =>
  page.getByRole('button', { name: new RegExp(`^${title}.*propert(y|ies)$`) })
const properties = (page: Page, title: string): Locator => page.getByRole('list', { name: `Properties of ${title}` })
const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true })
/** Returns the text of an editor by copying it, because invisible lines are not in the document. */
const textOf = async (editor: Locator): Promise<string> => {
  await editor.press('ControlOrMeta+a')
  await editor.press('ControlOrMeta+c')
  return editor.page().evaluate(() => navigator.clipboard.readText())
}
const select = (page: Page, name: string): Locator => page.getByRole('combobox', { name, exact: true })
const unsaved = (page: Page): Locator => page.getByRole('region', { name: 'Unsaved changes' })
const notice = (page: Page): Locator => page.getByText('Source schema updated', { exact: true })
const dialog = (page: Page, name: string): Locator => page.getByRole('dialog', { name })

const tool = async (page: Page, name: string): Promise<void> => {
  await button(page, 'More schema actions').click()
  await page.getByRole('menuitem', { name }).click()
}

test('SCH-10, SCH-12, SCH-13: a changed requirement is sent in the right list of the full schema, and the notice confirms this', async ({
  signedIn: page,
  product,
}) => {
  const { source } = await openSchema(page, product)
  const calls = recordCalls(page)
  const { version } = (await product.api.ok('GET', `/${source}`)).schema as { version: number }
  await eventRow(page, 'Order Completed').click()
  await expect(select(page, 'Requirement of total')).toHaveValue('required')

  const wanted = { recommended: [['order_id'], ['currency', 'total']], optional: [['order_id'], ['currency']] }
  for (const [index, choice] of (['recommended', 'optional'] as const).entries()) {
    await select(page, 'Requirement of total').selectOption(choice)
    await expect(unsaved(page)).toContainText('Not saved: 1 property changed')
    await button(page, 'Save schema').click()
    await expect(notice(page).last()).toBeVisible()
    await expect(unsaved(page)).toHaveCount(0)
    const sent = callsTo(calls, source).filter(({ verb }) => verb === 'PATCH')[index]
    expect(sent?.path.split('?')[1]).toBe('update_mask=schema&force_refresh=false')
    const body = sent?.body as { schema: string; schema_version: number; schema_change: string }
    expect([body.schema_version, body.schema_change]).toEqual([version + index, 'edited'])
    const schema = JSON.parse(body.schema)
    expect(Object.keys(schema.events)).toEqual(['Order Completed', 'Product Viewed'])
    const { required, recommended } = schema.events['Order Completed']
    expect([required, recommended]).toEqual(wanted[choice])
    expect(schema.events['Product Viewed']).toEqual(shop.events['Product Viewed'])
    expect(schema.user).toEqual(shop.user)
    expect(await saved(product, source)).toEqual(schema)
  }
})

test('events, properties, and item fields are added, renamed, and removed; invalid names are refused at their field', async ({
  signedIn: page,
  product,
}) => {
  const { source } = await openSchema(page, product)
  const name = page.getByRole('textbox', { name: /name/ })
  await button(page, 'Add event').click()
  await expect(name).toBeFocused()
  await name.fill('Order Completed')
  await page.keyboard.press('Enter')
  await expect(dialog(page, 'Add event').getByText('There is already an event with this name')).toBeVisible()
  await name.fill('')
  await expect(dialog(page, 'Add event').getByText('A name must not be empty')).toBeVisible()
  await name.fill('Signed Up')
  await page.keyboard.press('Enter')
  await expect(eventRow(page, 'Signed Up')).toHaveAttribute('aria-expanded', 'true')

  await button(page, 'Add property').click()
  await name.fill('lines')
  await dialog(page, 'Add property').getByRole('combobox', { name: 'Type' }).selectOption('array')
  await dialog(page, 'Add property').getByRole('button', { name: 'Add', exact: true }).click()
  await button(page, 'Add a field to the items of lines').click()
  await name.fill('id')
  await dialog(page, 'Add item field').getByRole('combobox', { name: 'Requirement' }).selectOption('required')
  await dialog(page, 'Add item field').getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('textbox', { name: 'Description of lines › id', exact: true }).fill('Of the line')

  await eventRow(page, 'Product Viewed').click()
  await button(page, 'Rename sku').click()
  await name.fill('product_id')
  await page.keyboard.press('Enter')
  await expect(properties(page, 'Product Viewed')).toContainText('product_id')
  await select(page, 'Type of product_id').selectOption('number')
  await eventRow(page, 'Order Completed').click()
  await properties(page, 'Order Completed').getByRole('button', { name: 'Remove currency', exact: true }).click()
  await expect(button(page, 'Add a field to the items of products')).toBeFocused()
  await properties(page, 'Order Completed').getByRole('button', { name: 'Remove products', exact: true }).click()
  await button(page, 'Undo').click()
  await expect(properties(page, 'Order Completed')).toContainText('products › sku')

  await button(page, 'Review').click()
  const review = page.getByRole('list', { name: 'Unsaved changes' })
  await expect(review.getByRole('listitem', { name: 'Signed Up' })).toContainText('Added Signed Up')
  await expect(review.getByRole('listitem', { name: 'Order Completed' })).toContainText('Removed currency')
  await page.keyboard.press('Escape')
  await button(page, 'Save schema').click()
  await expect(notice(page)).toBeVisible()
  const { currency: _currency, ...kept } = order.properties as Properties
  expect(await saved(product, source)).toEqual({
    events: {
      'Order Completed': event(kept, ['order_id', 'total']),
      'Product Viewed': event({ product_id: number }),
      'Signed Up': event({
        lines: { type: 'array', items: event({ id: { ...text, description: 'Of the line' } }, ['id']) },
      }),
    },
    user: shop.user,
  })
})

test("a user who saves over another user's version sees who changed what, and both changes can be kept", async ({
  signedIn: page,
  product,
}) => {
  const { source } = await openSchema(page, product)
  await eventRow(page, 'Order Completed').click()
  await select(page, 'Requirement of total').selectOption('optional')
  const theirs = event({ ...order.properties, coupon: text }, ['order_id', 'total'], ['currency'])
  await put(product, source, { ...shop, events: { ...shop.events, 'Order Completed': theirs } })
  // The open page is notified of the other change, so that it asks before anything is saved.
  const conflict = page.getByRole('alert', { name: 'The schema has changed' })
  await expect(conflict).toContainText(/Admin.* saved version 3/)
  await expect(conflict).toContainText('1 property added')
  await expect(button(page, 'Save schema')).toBeDisabled()
  expect((await saved(product, source)).events['Order Completed']).toEqual(theirs)

  await button(page, 'Apply my changes on top').click()
  await expect(conflict).toHaveCount(0)
  await expect(properties(page, 'Order Completed')).toContainText('coupon')
  await button(page, 'Save schema').click()
  await expect(notice(page)).toBeVisible()
  expect((await saved(product, source)).events['Order Completed']).toEqual({ ...theirs, required: ['order_id'] })

  await select(page, 'Requirement of total').selectOption('required')
  await put(product, source, { events: {} })
  await expect(conflict).toContainText('Both of you changed these. Yours would be used: Order Completed')
  await button(page, 'Load theirs').click()
  await expect(page.getByText('No events in the schema yet')).toBeVisible()
  await expect(unsaved(page)).toHaveCount(0)
})

test('a schema is edited as JSON, imported after a preview of its changes, exported, and copied', async ({
  signedIn: page,
  product,
}) => {
  const { source } = await openSchema(page, product)
  await tool(page, 'Edit as JSON')
  const area = page.getByRole('textbox', { name: 'Schema as JSON' })
  // Before the editor has drawn its text, nothing would be copied.
  await expect(area).toContainText('"events"')
  let indented = ''
  // Keys that are pressed before the editor listens select nothing; then only a line is copied.
  await expect(async () => {
    indented = await textOf(area)
    expect(JSON.parse(indented)).toEqual(shop)
  }).toPass()
  await area.fill('{\n  "events": {\n    "A": {"properties": {"x": {"type": "text"}}}\n  }\n}')
  await expect(dialog(page, 'Edit schema as JSON')).toContainText('Line 3, column 40: The type must be one of')
  await expect(button(page, 'Apply changes')).toBeDisabled()
  await button(page, 'Line 3, column 40').click()
  await expect(area).toBeFocused()
  await page.keyboard.press('Shift+End')
  expect(await page.evaluate(() => String(getSelection()))).toBe('"text"}}}')
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  expect((await textOf(area)).split('\n')[3]).toBe('      ')
  // The first Escape frees the Tab key, the next one asks before the text is discarded.
  await page.keyboard.press('Escape')
  await page.keyboard.press('Tab')
  await expect(area).not.toBeFocused()
  await page.keyboard.press('Escape')
  await expect(page.getByText('Discard your changes to the text?')).toBeVisible()
  await button(page, 'Keep editing').click()
  await area.fill(indented.replace('"Product Viewed"', '"Product Seen"'))
  await button(page, 'Apply changes').click()
  await expect(unsaved(page)).toContainText('1 event added, 1 event removed')
  await button(page, 'Discard').click()
  await dialog(page, 'Discard your changes?').getByRole('button', { name: 'Discard' }).click()
  await expect(unsaved(page)).toHaveCount(0)

  await tool(page, 'Import')
  const imported = { events: { 'Product Viewed': event({ sku: number }) } }
  await page.getByLabel('Schema file').setInputFiles({
    name: 'schema.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(imported)),
  })
  await expect(page.getByRole('textbox', { name: 'Schema to import' })).toHaveText(JSON.stringify(imported))
  await button(page, 'Review changes').click()
  await expect(dialog(page, 'Import schema')).toContainText('1 property changed, user traits removed, 1 event removed')
  await expect(page.getByRole('listitem', { name: 'Product Viewed' })).toContainText('string → number')
  expect(await saved(product, source)).toEqual(shop)
  await button(page, 'Save imported schema').click()
  await expect(notice(page)).toBeVisible()
  expect(await saved(product, source)).toEqual(imported)

  const download = page.waitForEvent('download')
  await tool(page, 'Export as file')
  const file = await download
  expect(file.suggestedFilename()).toBe('online-shop-schema-v3.json')
  expect(JSON.parse(await readFile(await file.path(), 'utf8'))).toEqual(imported)
  await tool(page, 'Copy as JSON')
  await expect(page.getByText('Schema copied')).toBeVisible()
  expect(JSON.parse(await page.evaluate(() => navigator.clipboard.readText()))).toEqual(imported)
})

test('every version shows its author, time, reason, and changes, and can be restored', async ({
  signedIn: page,
  product,
}) => {
  const { source } = await openSchema(page, product)
  await put(product, source, { events: { 'Product Viewed': shop.events['Product Viewed'] } })
  await page.reload()
  await button(page, 'History').click()
  const versions = page.getByRole('list', { name: 'Versions' }).getByRole('button')
  await expect(versions).toHaveText([
    /Version 3.*Current.*Edited.*Admin.*1 event, 1 property/,
    /Version 2.*Edited.*Admin.*2 events, 7 properties/,
    /Version 1.*Created.*0 events, 0 properties/,
  ])
  await versions.first().click()
  await expect(page.getByText('User traits removed, 1 event removed')).toBeVisible()
  await expect(button(page, 'Restore this version')).toHaveCount(0)
  await button(page, 'All versions').click()
  await versions.nth(1).click()
  await select(page, 'Compare').selectOption('Changes since this version')
  await expect(page.getByRole('list', { name: 'Changes' })).toContainText('Removed Order Completed')
  await button(page, 'Restore this version').click()
  await dialog(page, 'Restore version 2?').getByRole('button', { name: 'Restore' }).click()
  await expect(notice(page)).toBeVisible()
  await expect(versions.first()).toHaveText(/Version 4.*Current.*Restored/)
  expect(await saved(product, source)).toEqual(shop)
})

test('a schema is inferred from received events: chosen parts are added, and nothing is removed', async ({
  signedIn: page,
  product,
}) => {
  const { source, key } = await openSchema(page, product, { events: { Kept: event({ a: text }) } })
  await sendTracks(product.url, key, [
    { event: 'Order Completed', messageId: 'o1', properties: { total: 5, coupon: 'X' } },
    { event: 'Signed Up', messageId: 's1', properties: { plan: 'team' } },
    { event: 'Kept', messageId: 'k1', properties: { a: 1, b: true } },
    { event: 'Kept', messageId: 'k2', properties: { b: true } },
    { event: 'Kept', messageId: 'k3', properties: { b: 'yes' } },
  ])
  await eventually(
    'the events are stored',
    async () => ((await product.api.ok('GET', `/${source}/events`)).events as unknown[]).length === 5,
  )
  await button(page, 'Suggest').click()
  const proposed = page.getByRole('list', { name: 'Proposed events' })
  await expect(proposed.getByRole('listitem', { name: 'Order Completed' })).toContainText('1 event seen')
  const kept = proposed.getByRole('listitem', { name: 'Kept' })
  await expect(kept).toContainText('a string → number')
  await expect(kept.getByRole('listitem').filter({ hasText: 'boolean' })).toContainText('Also string (33%)')
  await expect(kept.getByRole('checkbox', { name: 'a', exact: true })).not.toBeChecked()
  await expect(kept.getByRole('checkbox', { name: 'b', exact: true })).toBeChecked()
  await proposed.getByRole('checkbox', { name: 'All of Signed Up' }).uncheck()
  await proposed.getByRole('checkbox', { name: 'coupon' }).uncheck()
  await select(page, 'Period').selectOption('Last 90 days')
  await expect(proposed.getByRole('checkbox', { name: 'All of Signed Up' })).toBeChecked()
  await proposed.getByRole('checkbox', { name: 'All of Signed Up' }).uncheck()
  await proposed.getByRole('checkbox', { name: 'coupon' }).uncheck()
  await button(page, 'Add to schema').click()
  await expect(notice(page)).toBeVisible()
  const { events } = await saved(product, source)
  expect(Object.keys(events)).toEqual(['Kept', 'Order Completed'])
  expect(events).toMatchObject({
    Kept: { properties: { a: text, b: { type: 'boolean' } } },
    'Order Completed': { properties: { total: number } },
  })
  expect(Object.keys(events['Order Completed'].properties)).toEqual(['total'])
  await button(page, 'History').click()
  await expect(page.getByRole('list', { name: 'Versions' }).getByRole('button').first()).toContainText(
    'Inferred from events',
  )
})

test('an empty schema shows what to do next', async ({ signedIn: page, product }) => {
  await openSchema(page, product, { events: {} })
  const main = page.getByRole('main')
  await expect(main.getByRole('button', { name: 'Add event' })).toHaveCount(2)
  await button(page, 'Import').click()
  await expect(dialog(page, 'Import schema')).toBeVisible()
  await page.keyboard.press('Escape')
  await button(page, 'Start from your events').click()
  await expect(dialog(page, 'Suggest from your events')).toContainText('No events in this period')
  await page.keyboard.press('Escape')
  await button(page, 'Add user traits').click()
  await expect(page.getByRole('button', { name: /^User traits/ })).toHaveAttribute('aria-expanded', 'true')
  await expect(unsaved(page)).toContainText('User traits added')
})

test('unsaved changes of a schema survive other tabs, and leaving the page asks first', async ({
  signedIn: page,
  product,
}) => {
  await openSchema(page, product)
  await eventRow(page, 'Product Viewed').click()
  await select(page, 'Type of sku').selectOption('number')
  await page.getByRole('tab', { name: 'Set up' }).click()
  await page.getByRole('tab', { name: 'Schema' }).click()
  await expect(unsaved(page)).toContainText('1 property changed')
  await page.getByRole('link', { name: 'Destinations' }).first().click()
  const question = dialog(page, 'Leave without saving?')
  await expect(question).toContainText('1 property changed')
  await question.getByRole('button', { name: 'Stay' }).click()
  await expect(unsaved(page)).toBeVisible()
  await page.getByRole('link', { name: 'Destinations' }).first().click()
  await question.getByRole('button', { name: 'Leave' }).click()
  await expect(page.getByRole('heading', { name: 'Destinations', level: 1 })).toBeVisible()
})

test('blocking events that do not match needs a confirmation, and is disabled immediately', async ({
  signedIn: page,
  product,
}) => {
  const { source } = await openSchema(page, product)
  const setting = page.getByRole('switch', { name: 'Block non-conforming events' })
  const enforcement = async (): Promise<unknown> => (await product.api.ok('GET', `/${source}`)).enforcement
  await setting.click()
  const question = dialog(page, 'Block non-conforming events?')
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(setting).not.toBeChecked()
  expect(await enforcement()).toBe('allow')
  await setting.click()
  await question.getByRole('button', { name: 'Block them' }).click()
  await expect(page.getByText('Blocking Enabled')).toBeVisible()
  await expect(question).toHaveCount(0)
  await expect(setting).toBeChecked()
  expect(await enforcement()).toBe('block')
  await setting.click()
  await expect(page.getByText('Blocking Disabled')).toBeVisible()
  expect(await enforcement()).toBe('allow')
})

test('a guest reads the whole schema and its versions, and cannot change them', async ({ page, product, database }) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Read only')
  const { source } = await createSource(product.api, workspace, 'Shop')
  await put(product, source, shop)
  await signIn(page, await addPerson(database, 'Gus', { organization, role: 'ORG_GUEST' }))
  await page.goto(`/${source}#schema`)
  await eventRow(page, 'Order Completed').click()
  const rows = properties(page, 'Order Completed')
  await expect(rows.getByRole('listitem', { name: 'total', exact: true })).toHaveText(/total.*number.*required/)
  await expect(rows.getByRole('combobox').or(rows.getByRole('textbox')).or(rows.getByRole('button'))).toHaveCount(0)
  for (const name of ['Add event', 'Suggest', 'Add property', 'Remove event'])
    await expect(button(page, name)).toHaveCount(0)
  await expect(page.getByRole('switch', { name: 'Block non-conforming events' })).toBeDisabled()
  await button(page, 'More schema actions').click()
  await expect(page.getByRole('menuitem')).toHaveText(['Show as JSON', 'Export as file', 'Copy as JSON'])
  await page.getByRole('menuitem', { name: 'Show as JSON' }).click()
  await expect(page.getByRole('textbox', { name: 'Schema as JSON' })).toHaveAttribute('aria-readonly', 'true')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await button(page, 'History').click()
  await page.getByRole('button', { name: /^Version 1/ }).click()
  await expect(page.getByRole('list', { name: 'Changes' })).toContainText('Added Order Completed')
  await expect(button(page, 'Restore this version')).toHaveCount(0)
})

test('a schema of a thousand events with twenty properties each can be searched, opened, and changed', async ({
  signedIn: page,
  product,
}) => {
  // The names are short, because this many longer names would exceed the size limit of a schema.
  const fields = Object.fromEntries(Array.from('abcdefghijklmnopqrst', (name) => [name, { type: 'array' }]))
  const events = Object.fromEntries(
    Array.from({ length: 1000 }, (_, index) => [`Event ${index}`, { properties: fields }]),
  )
  const { source } = await openSchema(page, product, { events })
  await expect(page.getByText('1,000 events', { exact: true })).toBeVisible()
  const list = page.getByRole('list', { name: 'Events', exact: true })
  const search = page.getByRole('searchbox', { name: 'Search events and properties' })
  await search.fill('event 77')
  await expect(list.getByRole('heading')).toHaveCount(11)
  await expect(page.getByText('11 of 1,000 events', { exact: true })).toBeVisible()
  await search.fill('event 777')
  await expect(list.getByRole('heading')).toHaveCount(1)
  await eventRow(page, 'Event 777').click()
  await select(page, 'Requirement of h').selectOption('required')
  await button(page, 'Save schema').click()
  await expect(notice(page)).toBeVisible()
  expect((await saved(product, source)).events).toMatchObject({ 'Event 777': { required: ['h'] } })
  await search.fill('nowhere')
  await expect(page.getByText('No events match')).toBeVisible()
  await button(page, 'Clear search').click()
  await expect(list.getByRole('heading')).toHaveCount(1000)
})
