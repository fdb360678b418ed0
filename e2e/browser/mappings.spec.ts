import type { Locator, Page } from '@playwright/test'
import { createSource, createWebhook, createWorkspace, eventually, startWebhookReceiver } from '@tributary/test-kit'
import { addPerson, signIn } from './people.ts'
import { expect, test } from './product-fixture.ts'
import { untilAttempted } from './tracking.ts'

const order = {
  type: 'track',
  event: 'Order Completed',
  userId: 'customer-7',
  properties: { order_id: 'o-1', total: 59.9, currency: 'EUR', customer: { name: 'ada' } },
}

const send = async (url: string, key: string, event: object): Promise<void> => {
  const answer = await fetch(`${url}/v1/track`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
    body: JSON.stringify(event),
  })
  expect(answer.status).toBe(200)
}

/** Adds a custom field with a name; returns the row of the field. */
const addField = async (editor: Locator, name: string, kind: string): Promise<Locator> => {
  await editor.getByRole('button', { name: 'Add field' }).click()
  await editor.getByRole('textbox', { name: 'Target field' }).last().fill(name)
  const line = editor.getByRole('listitem', { name, exact: true })
  await line.getByRole('combobox', { name: `Source type for ${name}` }).selectOption(kind)
  return line
}

/** Returns the editor of one event mapping, which is a window with the preview. */
const editorOf = (page: Page): Locator =>
  page.getByRole('dialog').filter({ has: page.getByRole('complementary', { name: 'Preview' }) })

test('MAP-01, MAP-04, MAP-06: an event is mapped with all four kinds of source, previewed, sent as a test, and then delivered accordingly', async ({
  signedIn: page,
  product,
}) => {
  await using receiver = await startWebhookReceiver()
  const { api, url } = product
  const { workspace } = await createWorkspace(api, 'Mapped')
  const { source, key } = await createSource(api, workspace, 'Shop')
  const destination = await createWebhook(api, workspace, source, { url: receiver.url }, 'Warehouse')
  await send(url, key, order)
  await eventually('the event goes out whole while presets are in use', async () =>
    receiver.calls.some(({ body }) => body.includes('"o-1"')),
  )

  await page.goto(`/${destination}#mappings`)
  await expect(page.getByText('Presets in use.')).toBeVisible()
  const rows = page.getByRole('list', { name: 'Event mappings' }).getByRole('listitem')
  await expect(rows).toHaveCount(1)
  await expect(rows).toContainText('Any event')
  await expect(rows).toContainText('Whole event')
  await page.getByRole('button', { name: 'Customize' }).click()
  await rows.getByRole('button', { name: 'Any event', exact: true }).click()
  const editor = editorOf(page)
  const preview = editor.getByRole('complementary', { name: 'Preview' })
  await expect(preview.getByLabel('Payload for Warehouse', { exact: true })).toContainText('"o-1"')

  // Choose the events: proposed names, and a condition.
  await editor.getByRole('combobox', { name: 'Event name' }).click()
  await page
    .getByRole('listbox')
    .getByRole('option', { name: /Order Completed/ })
    .click()
  await expect(editor.getByRole('heading', { name: 'Order Completed' })).toBeVisible()
  await editor.getByRole('button', { name: 'Add condition' }).click()
  await page.keyboard.type('properties.total')
  await page.keyboard.press('Tab')
  await editor.getByRole('combobox', { name: 'Comparison of condition 1' }).selectOption('is greater than')
  await editor.getByRole('textbox', { name: 'Value of condition 1' }).fill('100')
  await expect(preview.getByText('None of the latest 300 events match this mapping')).toBeVisible()
  await editor.getByRole('textbox', { name: 'Value of condition 1' }).fill('50')

  // Fill the payload, with all four kinds of sources.
  await editor.getByRole('radio', { name: 'Selected fields' }).check()
  const id = await addField(editor, 'id', 'Field')
  await id.getByRole('combobox', { name: 'Source of id' }).fill('order_id')
  await page
    .getByRole('listbox')
    .getByRole('option', { name: /properties\.order_id/ })
    .click()
  const channel = await addField(editor, 'channel', 'Constant')
  await channel.getByRole('textbox', { name: 'Source of channel' }).fill('web')
  const at = await addField(editor, 'meta.seen_as', 'Variable')
  await at.getByRole('combobox', { name: 'Source of meta.seen_as' }).selectOption('User ID or anonymous ID')
  await addField(editor, 'greeting', 'Template')
  const template = page.getByRole('dialog', { name: 'Template of greeting' })
  const apply = template.getByRole('button', { name: 'Apply' })
  await expect(apply).toBeDisabled()
  await expect(template.locator('.cm-editor')).toBeVisible()
  await template.getByRole('textbox', { name: 'Template' }).fill('Hello {{ properties.customer.name ')
  await template.getByRole('button', { name: 'Insert capitalize' }).click()
  await page.keyboard.insertText(' }}')
  await expect(template.getByRole('region', { name: 'Result' })).toContainText('Hello Ada')
  await apply.click()
  await expect(template).toHaveCount(0)
  const skipped = await addField(editor, 'skipped', 'Constant')
  await skipped.getByRole('textbox', { name: 'Source of skipped' }).fill('never')
  await skipped.getByRole('switch', { name: 'Send skipped' }).click()

  const payload = preview.getByLabel('Payload for Warehouse', { exact: true })
  await expect(payload).toContainText('"greeting": "Hello Ada"')
  const mapped = { id: 'o-1', channel: 'web', greeting: 'Hello Ada', meta: { seen_as: 'customer-7' } }
  expect(JSON.parse((await payload.textContent()) ?? '')).toEqual(mapped)

  // Send a test event before the mapping is saved.
  receiver.behave({ status: 202, body: '{"queued":true}' })
  const before = receiver.calls.length
  await preview.getByRole('button', { name: 'Send test event' }).click()
  const trial = page.getByRole('dialog', { name: 'Send test event' })
  expect(receiver.calls.length).toBe(before)
  await trial.getByRole('button', { name: 'Send', exact: true }).click()
  await expect(trial.getByText('Delivered', { exact: true })).toBeVisible()
  await expect(trial).toContainText('202')
  await expect(trial.getByLabel('Request', { exact: true })).toContainText('"greeting": "Hello Ada"')
  await expect(trial.getByLabel('Response', { exact: true })).toContainText('"queued": true')
  expect(JSON.parse(receiver.calls.at(-1)?.body ?? '')).toEqual(mapped)
  await trial.getByRole('button', { name: 'Close', exact: true }).click()
  receiver.behave({ status: 200 })

  const saves = page.waitForRequest((request) => request.method() === 'PUT')
  await editor.getByRole('button', { name: 'Save mappings' }).click()
  const body = (await saves).postDataJSON() as { event_mappings: { field_mappings: object[] }[] }
  await expect(page.getByText('Mappings Updated')).toBeVisible()
  expect(body.event_mappings).toMatchObject([
    { event_name: 'Order Completed', filters: [{ field: 'properties.total', operator: 'greater_than', value: '50' }] },
  ])
  expect(body.event_mappings[0]?.field_mappings).toMatchObject([
    { source: { type: 'FIELD', name: 'properties.order_id' }, target: { name: 'id' }, enabled: true },
    { source: { type: 'CONSTANT', value: 'web' }, target: { name: 'channel' } },
    { source: { type: 'VARIABLE', name: 'user_key' }, target: { name: 'meta.seen_as' } },
    { source: { type: 'TEMPLATE', value: expect.stringContaining('capitalize') }, target: { name: 'greeting' } },
    { source: { type: 'CONSTANT', value: 'never' }, target: { name: 'skipped' }, enabled: false },
  ])
  await expect(rows).toContainText('where properties.total is greater than “50”')
  await expect(rows).toContainText('4 fields')

  // From now on the peer receives exactly this payload, and receives no event that matches no mapping.
  await send(url, key, { ...order, properties: { ...order.properties, order_id: 'o-2', total: 10 } })
  await send(url, key, { ...order, properties: { ...order.properties, order_id: 'o-3' } })
  await eventually('the mapped event arrives', async () => receiver.calls.some(({ body }) => body.includes('"o-3"')))
  expect(JSON.parse(receiver.calls.at(-1)?.body ?? '')).toEqual({ ...mapped, id: 'o-3' })
  expect(receiver.calls.some(({ body }) => body.includes('"o-2"'))).toBe(false)

  // The peer fails. The page shows the failure with its cause, and one retry after the fix delivers the mapped event.
  receiver.behave({ status: 404, body: 'gone' })
  await send(url, key, { ...order, properties: { ...order.properties, order_id: 'o-4' } })
  await untilAttempted(api, destination, { status: 'dead' })
  await page.goto(`/${destination}#failures`)
  await page.getByRole('table', { name: 'Failures' }).getByRole('row', { name: /^gone/ }).click()
  await expect(page.getByLabel('Request', { exact: true })).toContainText('"id": "o-4"')
  receiver.behave({ status: 200 })
  await page.getByRole('button', { name: 'Retry all' }).click()
  await expect(page.getByText('No failures')).toBeVisible()
  expect(JSON.parse(receiver.calls.at(-1)?.body ?? '')).toEqual({ ...mapped, id: 'o-4' })
  await untilAttempted(api, destination, { status: 'delivered', count: 3 })
  await page.goto(`/${destination}#deliveries`)
  await expect(page.getByRole('table', { name: 'Deliveries' }).getByRole('row').nth(1)).toContainText('Delivered')
})

test('MAP-11, MAP-12, MAP-13, MAP-14, MAP-15: the template editor offers variables and filters, and does not apply an invalid template', async ({
  signedIn: page,
  product,
  receiver,
}) => {
  const { api } = product
  const { workspace } = await createWorkspace(api, 'Templates')
  const { source } = await createSource(api, workspace, 'Shop')
  const destination = await createWebhook(api, workspace, source, { url: receiver.url }, 'Templates')
  await page.goto(`/${destination}#mappings`)
  await page.getByRole('button', { name: 'Customize' }).click()
  await page.getByRole('list', { name: 'Event mappings' }).locator('[data-open]').first().click()
  const editor = editorOf(page)
  await editor.getByRole('radio', { name: 'Selected fields' }).check()
  await addField(editor, 'greeting', 'Template')
  const template = page.getByRole('dialog', { name: 'Template of greeting' })
  const text = template.getByRole('textbox', { name: 'Template' })
  const apply = template.getByRole('button', { name: 'Apply', exact: true })
  await expect(template.locator('.cm-editor')).toBeVisible()
  const offered = template.getByRole('group', { name: 'Filters' }).getByRole('button')
  for (const name of 'append prepend capitalize downcase upcase ceil floor plus date'.split(' '))
    await expect(offered.getByText(name, { exact: true })).toBeVisible()
  const variable = template.getByRole('group', { name: 'Variables' }).getByRole('button').first()
  const name = (await variable.textContent()) ?? ''
  await text.fill('By ')
  await variable.click()
  await expect(text).toHaveText(`By {{ ${name} }}`)
  await expect(text).toBeFocused()
  await text.fill('By {{ userId ')
  await expect(template.getByText(/^Error at >> 1\| By \{\{ userId/)).toBeVisible()
  await expect(apply).toBeDisabled()
  await text.fill('By {{ userId }}')
  await expect(template.getByText(/^Error at/)).toHaveCount(0)
  await apply.click()
  await expect(template).toHaveCount(0)
})

test("an editor that was open before the first event suggests the event's name and previews the event", async ({
  signedIn: page,
  product,
  receiver,
}) => {
  const { api, url } = product
  const { workspace } = await createWorkspace(api, 'Early')
  const { source, key } = await createSource(api, workspace, 'Shop')
  const destination = await createWebhook(api, workspace, source, { url: receiver.url }, 'Early')
  await page.goto(`/${destination}#mappings`)
  await page.getByRole('button', { name: 'Customize' }).click()
  await page.getByRole('list', { name: 'Event mappings' }).locator('[data-open]').first().click()
  const editor = editorOf(page)
  const preview = editor.getByRole('complementary', { name: 'Preview' })
  await expect(preview.getByText(/^None of the latest/)).toBeVisible()
  await editor.getByRole('combobox', { name: 'Event name' }).click()
  await send(url, key, order)
  await page
    .getByRole('listbox')
    .getByRole('option', { name: /Order Completed/ })
    .click()
  await expect(editor.getByRole('heading', { name: 'Order Completed' })).toBeVisible()
  await expect(preview.getByLabel('Payload for Early', { exact: true })).toContainText('"o-1"')
})

test('mappings are reordered, copied, deleted, and reset in a draft, and leaving the page asks first', async ({
  signedIn: page,
  product,
  receiver,
}) => {
  const { api } = product
  const { workspace } = await createWorkspace(api, 'Ordered')
  const { source } = await createSource(api, workspace, 'Shop')
  const destination = await createWebhook(api, workspace, source, { url: receiver.url }, 'Ordered')
  const mapping = (id: string, event_name: string) => ({
    id,
    event_name,
    event_type: 'track',
    filters: [],
    filter_match: 'all',
    destination: 'send',
    field_mappings: [],
    enabled: true,
  })
  const put = (mappings: object[] | null) => api.ok('PUT', `/${destination}/mappings`, { event_mappings: mappings })
  const saved = async (): Promise<string[]> => {
    const { event_mappings } = (await api.ok('GET', `/${destination}/mappings`)) as {
      event_mappings: { event_name: string }[]
    }
    return event_mappings.map(({ event_name }) => event_name)
  }
  await put([mapping('aaaa', 'One'), mapping('bbbb', 'Two')])
  await page.goto(`/${destination}#mappings`)
  const list = page.getByRole('list', { name: 'Event mappings' })
  const titles = list.getByRole('listitem').locator('[data-open]')
  const unsaved = page.getByRole('region', { name: 'Unsaved changes' })
  await list.getByRole('button', { name: 'Move Two (2) up' }).focus()
  await page.keyboard.press('Enter')
  await expect(titles).toHaveText(['Two', 'One'])
  await expect(list.getByRole('button', { name: 'Move Two (1) up' })).toBeFocused()
  await expect(unsaved).toContainText('order changed')
  await list.getByRole('button', { name: 'More for One (2)' }).click()
  await page.getByRole('menuitem', { name: 'Duplicate' }).click()
  await expect(titles).toHaveText(['Two', 'One', 'One'])
  await list.getByRole('button', { name: 'More for Two (1)' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await expect(titles).toHaveText(['One', 'One'])
  await unsaved.getByRole('button', { name: 'Undo' }).click()
  await expect(titles).toHaveText(['Two', 'One', 'One'])
  expect(await saved()).toEqual(['One', 'Two'])

  // Another tab of the page keeps the draft; leaving for another page shows a question.
  await page.getByRole('tab', { name: 'Settings' }).click()
  await page.getByRole('tab', { name: 'Mappings' }).click()
  await expect(titles).toHaveText(['Two', 'One', 'One'])
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Destinations' }).click()
  const leave = page.getByRole('dialog', { name: 'Leave without saving?' })
  await expect(leave).toContainText('1 mapping added, order changed')
  await leave.getByRole('button', { name: 'Stay' }).click()

  // After another user saves, their version is only overwritten if the user chooses to do so.
  await put([mapping('cccc', 'Three')])
  await unsaved.getByRole('button', { name: 'Save mappings' }).click()
  const conflict = page.getByRole('alert', { name: 'The mappings have changed' })
  await expect(conflict).toContainText('1 mapping added, 2 mappings deleted')
  expect(await saved()).toEqual(['Three'])
  await conflict.getByRole('button', { name: 'Overwrite with mine' }).click()
  await expect(page.getByText('Mappings Updated')).toBeVisible()
  await expect(unsaved).toHaveCount(0)
  expect(await saved()).toEqual(['Two', 'One', 'One'])

  await page.getByRole('button', { name: 'Reset to presets' }).click()
  await page
    .getByRole('dialog', { name: 'Reset to presets?' })
    .getByRole('button', { name: 'Reset to presets' })
    .click()
  await expect(page.getByText('Presets in use.')).toBeVisible()
  expect(await saved()).toEqual([''])
})

test('a required target without a source prevents saving a mapping, and its line shows the reason', async ({
  signedIn: page,
  product,
}) => {
  const { api } = product
  const { workspace } = await createWorkspace(api, 'Chat')
  const { name: destination } = (await api.ok('POST', `/${workspace}/destinations`, {
    title: 'Sales channel',
    app: { name: 'catalogDestinations/slack' },
    settings: { webhook_url: 'https://hooks.slack.com/services/T0/B0/abcdefghijklmnop' },
  })) as { name: string }
  await page.goto(`/${destination}#mappings`)
  await page.getByRole('button', { name: 'Customize' }).click()
  await page.getByRole('list', { name: 'Event mappings' }).locator('[data-open]').first().click()
  const editor = editorOf(page)
  const text = editor.getByRole('list', { name: 'Fields' }).getByRole('listitem').first()
  await expect(text).toContainText('Required')
  await text.getByRole('combobox', { name: 'Source type for Text' }).selectOption('Field')
  const puts: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'PUT') puts.push(request.url())
  })
  await editor.getByRole('button', { name: 'Save mappings' }).click()
  const source = text.getByRole('combobox', { name: 'Source of Text' })
  await expect(text).toContainText('Text is required. Choose a value')
  await expect(source).toHaveAttribute('aria-invalid', 'true')
  expect(puts).toEqual([])
  await source.fill('event')
  await page.keyboard.press('Escape')
  await expect(text).not.toContainText('is required. Choose')
  await editor.getByRole('button', { name: 'Save mappings' }).click()
  await expect(page.getByText('Mappings Updated')).toBeVisible()
  expect(puts).toHaveLength(1)
})

test('a guest reads the mappings, and cannot change, preview, or send them', async ({
  page,
  product,
  database,
  receiver,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Read only')
  const { source } = await createSource(product.api, workspace, 'Shop')
  const destination = await createWebhook(product.api, workspace, source, { url: receiver.url }, 'Read only')
  await signIn(page, await addPerson(database, 'Guest', { organization, role: 'ORG_GUEST' }))
  await page.goto(`/${destination}#mappings`)
  const list = page.getByRole('list', { name: 'Event mappings' })
  await expect(list.getByRole('switch')).toHaveAttribute('aria-disabled', 'true')
  await expect(page.getByRole('button', { name: 'Customize' })).toHaveCount(0)
  const tries: string[] = []
  page.on('request', (request) => {
    if (/mappings:(preview|sendTest)$/.test(request.url())) tries.push(request.url())
  })
  await list.locator('[data-open]').click()
  const reader = page.getByRole('dialog', { name: /^Any event/ })
  await expect(reader.getByRole('combobox', { name: 'Event name' })).toBeDisabled()
  await expect(reader.getByRole('button')).toHaveText(['', 'Close'])
  expect(tries).toEqual([])
  await page.goto(`/${destination}#settings`)
  await expect(page.getByText('As a guest')).toBeVisible()
})
