import type { Locator, Page } from '@playwright/test'
import { createSource, createWebhook, createWorkspace, eventually, startWebhookReceiver } from '@tributary/test-kit'
import { addPerson, signIn } from './people.ts'
import { expect, test } from './product-fixture.ts'
import { runCurl, sendTracks, untilAttempted, untilRefused } from './tracking.ts'

const clipboard = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText())
const tab = (page: Page, name: string): Locator => page.getByRole('tab', { name })
const rowsOf = (page: Page, table: string): Locator =>
  page.getByRole('table', { name: table }).getByRole('rowgroup').last().getByRole('row')

test('EVT-18: a new user gets from the sign-in page to the copied payload of a first event, guided only by the screens', async ({
  page,
  database,
  product,
}) => {
  await signIn(page, await addPerson(database, 'Nora'))
  await page.goto('/')
  await expect(page.getByText('No organization found')).toBeVisible()
  await page.getByRole('link', { name: 'Create' }).click()

  await expect(page.getByRole('textbox', { name: 'Organization name' })).toBeFocused()
  await page.getByRole('textbox', { name: 'Organization name' }).fill('Nor')
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByText('Please provide a name that is 4 characters or more')).toBeVisible()
  await page.getByRole('textbox', { name: 'Organization name' }).fill('Nora Ltd')
  await page.getByRole('combobox', { name: 'Industry' }).selectOption('gaming')
  await page.getByRole('textbox', { name: 'First workspace' }).fill('Staging')
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(page).toHaveURL(/\/workspaces\/[^/]+$/)
  await expect(page.getByRole('button', { name: 'Workspace Staging' })).toBeVisible()

  await page.getByRole('link', { name: 'Sources', exact: true }).first().click()
  await expect(page.getByText('Add your first source')).toBeVisible()
  await page.getByRole('link', { name: 'Add source' }).click()
  await page.getByRole('searchbox', { name: 'Search sources' }).fill('plain http')
  await page.getByRole('link', { name: /HTTP API/ }).click()

  const title = page.getByRole('textbox', { name: 'Title' })
  await expect(title).toHaveValue('HTTP API')
  await title.fill('  ')
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByText('Required', { exact: true })).toBeVisible()
  await expect(title).toBeFocused()
  await title.fill('Till system')
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByText('Source Created')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Till system', level: 1 })).toBeVisible()
  await expect(tab(page, 'Set up')).toHaveAttribute('aria-selected', 'true')
  await expect(page.getByText('Waiting for the first event…')).toBeVisible()
  await page.getByRole('button', { name: 'Reveal key' }).click()
  await page.getByRole('button', { name: 'Copy key' }).click()
  await expect(page.getByText('Write key copied')).toBeVisible()
  const key = await clipboard(page)
  await expect(page.getByRole('listitem').filter({ hasText: 'Created' }).getByText(key, { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Hide key' }).click()
  await expect(page.getByText(key, { exact: true })).toHaveCount(0)
  await page.getByRole('button', { name: 'Copy shell' }).first().click()
  await expect(page.getByText('Snippet copied')).toBeVisible()
  const curl = await clipboard(page)
  expect(curl).toContain(`${product.url}/v1/track`)
  expect(curl).toContain(`${key}:`)
  expect(await runCurl(curl)).toBe(200)

  await expect(page.getByRole('status').filter({ hasText: 'Received: Order Completed' })).toBeVisible()
  await page.getByRole('link', { name: 'Show live events' }).click()
  await expect(rowsOf(page, 'Live events')).toHaveCount(1)
  await rowsOf(page, 'Live events').first().click()
  const dialog = page.getByRole('dialog', { name: 'Order Completed' })
  await expect(dialog.getByText('track event', { exact: true })).toBeVisible()
  await expect(dialog.getByText(/^Received at \S/)).toBeVisible()
  await expect(dialog.getByText('  "event": "Order Completed"')).toBeVisible()
  await dialog.getByRole('button', { name: 'Copy' }).click()
  await expect(page.getByText('Payload copied', { exact: true })).toBeVisible()
  expect(JSON.parse(await clipboard(page))).toMatchObject({
    userId: 'user-123',
    event: 'Order Completed',
    properties: { total: 59.9 },
  })
  await dialog.getByRole('button', { name: 'Close', exact: true }).click()
  await expect(dialog).toHaveCount(0)
})

test("the next source of an app has the app's name and a number as its title", async ({ signedIn: page, product }) => {
  const { workspace } = await createWorkspace(product.api, 'Titles')
  await createSource(product.api, workspace, 'First', 'http')
  await page.goto(`/${workspace}/catalog-sources/http/new`)
  await expect(page.getByRole('textbox', { name: 'Title' })).toHaveValue('HTTP API 1')
})

test('a webhook is created with its form, after errors at fields are corrected, and gets the events of connected sources', async ({
  signedIn: page,
  product,
  receiver,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Deliveries')
  const { source, key } = await createSource(product.api, workspace, 'Shop')
  await page.goto(`/${workspace}/destinations`)
  await page.getByRole('link', { name: 'Add destination' }).click()
  await page.getByRole('link', { name: /Webhook/ }).click()
  const title = page.getByRole('textbox', { name: 'Title' })
  const url = page.getByRole('textbox', { name: 'URL' })
  await expect(title).toHaveValue('Webhook')
  await title.fill('Own')
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(title).toHaveAccessibleDescription(/At least 4 characters/)
  await expect(url).toHaveAccessibleDescription(/Required/)
  await title.fill('Own service')
  await url.fill('https://name:secret@example.com/hook')
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(url).toHaveAccessibleDescription(/Put credentials in a header, not in the URL/)
  await expect(url).toBeFocused()
  await url.fill(receiver.url)
  await page.getByRole('button', { name: 'Add header' }).click()
  await page.getByRole('textbox', { name: 'Header name' }).fill('X-Api-Version')
  await page.getByRole('textbox', { name: 'Header value' }).fill('7')
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByText('Destination Created')).toBeVisible()

  await expect(tab(page, 'Connections')).toHaveAttribute('aria-selected', 'true')
  await page.getByRole('button', { name: 'Connect source' }).click()
  await page.getByRole('option', { name: 'Shop' }).click()
  await expect(page.getByText('Source Connected')).toBeVisible()
  await expect(page.getByRole('switch', { name: 'Connection with Shop' })).toBeChecked()

  const messageId = 'delivered-to-own-service'
  expect(await sendTracks(product.url, key, [{ event: 'Order Completed', messageId }])).toBe(200)
  const call = await eventually('the webhook is called', () =>
    receiver.calls.find(({ body }) => body.includes(messageId)),
  )
  expect(call.headers['x-api-version']).toBe('7')
  await untilAttempted(product.api, new URL(page.url()).pathname.slice(1))

  await tab(page, 'Deliveries').click()
  await expect(rowsOf(page, 'Deliveries').first()).toContainText('Delivered')
  await rowsOf(page, 'Deliveries').first().click()
  const dialog = page.getByRole('dialog', { name: 'Order Completed' })
  await expect(dialog.getByText('200')).toBeVisible()
  await expect(dialog.getByText(/Request and response are stored for failed attempts only/)).toBeVisible()

  await page.goto(`/${source}`)
  await rowsOf(page, 'Live events').first().click()
  const event = page.getByRole('dialog', { name: 'Order Completed' })
  await event.getByRole('tab', { name: 'Deliveries' }).click()
  await expect(event.getByText('Delivered', { exact: true })).toBeVisible()
  await event.getByRole('link', { name: 'Own service' }).click()
  await expect(page.getByRole('heading', { name: 'Own service', level: 1 })).toBeVisible()
})

test('an event that a webhook cannot accept now waits, and Retry all now delivers it immediately', async ({
  signedIn: page,
  product,
}) => {
  await using peer = await startWebhookReceiver()
  peer.behave({ status: 503, headers: { 'retry-after': '3600' } })
  const { workspace } = await createWorkspace(product.api, 'Waiting')
  const { source, key } = await createSource(product.api, workspace, 'Shop')
  const destination = await createWebhook(product.api, workspace, source, { url: peer.url }, 'Busy')
  await page.goto(`/${destination}#failures`)
  await expect(page.getByText('No failures')).toBeVisible()
  expect(await sendTracks(product.url, key, [{ event: 'Order Completed', messageId: 'waits' }])).toBe(200)
  await expect(rowsOf(page, 'Failures')).toContainText(['Waiting'])
  peer.behave({ status: 200 })
  await page.getByRole('button', { name: 'Retry all now' }).click()
  await expect(page.getByText('No failures')).toBeVisible()
  await tab(page, 'Deliveries').click()
  await expect(rowsOf(page, 'Deliveries').filter({ hasText: 'Delivered' })).toHaveCount(1)
  expect(peer.messageIds().get('waits')).toBe(1)
})

test('an event that a webhook refuses with 404 is a dead letter with request and response, and a retry delivers it', async ({
  signedIn: page,
  product,
}) => {
  await using peer = await startWebhookReceiver()
  peer.behave({ status: 404, body: 'no such hook' })
  const { workspace } = await createWorkspace(product.api, 'Dead letters')
  const { source, key } = await createSource(product.api, workspace, 'Shop')
  const destination = await createWebhook(product.api, workspace, source, { url: peer.url }, 'Mended later')
  await page.goto(`/${destination}#deliveries`)
  await expect(page.getByText('Nothing delivered yet')).toBeVisible()
  expect(await sendTracks(product.url, key, [{ event: 'Order Completed', messageId: 'dead-1' }])).toBe(200)
  await expect(rowsOf(page, 'Deliveries')).toHaveCount(1)
  await expect(rowsOf(page, 'Deliveries')).toContainText(['Dead letter'])
  await expect(rowsOf(page, 'Deliveries')).toContainText(['404'])
  await rowsOf(page, 'Deliveries').first().click()
  const dialog = page.getByRole('dialog', { name: 'Order Completed' })
  await expect(dialog.getByLabel('Request', { exact: true })).toContainText('"event": "Order Completed"')
  await expect(dialog.getByLabel('Response', { exact: true })).toContainText('no such hook')
  await dialog.getByRole('button', { name: 'Close', exact: true }).click()
  await expect(dialog).toHaveCount(0)

  peer.behave({ status: 200 })
  await tab(page, 'Failures').click()
  await page.getByRole('button', { name: 'Retry all now' }).click()
  await expect(page.getByText('Retry Started')).toBeVisible()
  await expect(page.getByText('No failures')).toBeVisible()
  await tab(page, 'Deliveries').click()
  await expect(rowsOf(page, 'Deliveries').filter({ hasText: 'Delivered' })).toHaveCount(1)
  expect(peer.messageIds().get('dead-1')).toBe(1)
  await page.getByRole('combobox', { name: 'Status' }).selectOption('Dead letter')
  await expect(rowsOf(page, 'Deliveries').filter({ hasText: 'Delivered' })).toHaveCount(0)
  await expect(rowsOf(page, 'Deliveries')).toHaveCount(1)
  await page.getByRole('combobox', { name: 'Status' }).selectOption('Failed')
  await expect(page.getByText('No deliveries match.')).toBeVisible()
})

test('a source can be renamed, disabled (its events are refused and counted), and deleted', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Source life')
  const { source, key } = await createSource(product.api, workspace, 'Old name')
  await page.goto(`/${source}#settings`)
  await page.getByRole('textbox', { name: 'Title' }).fill('New name')
  await page.getByRole('button', { name: 'Save Changes' }).click()
  await expect(page.getByText('Source Title Updated')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'New name', level: 1 })).toBeVisible()

  await page.getByRole('switch', { name: 'Receive events' }).click()
  await expect(page.getByText('Source Disabled')).toBeVisible()
  expect(await sendTracks(product.url, key, [{ event: 'Too late', messageId: 'late' }])).toBe(404)
  await untilRefused(product.api, ({ reason }) => reason === 'SOURCE_DISABLED', source)
  await tab(page, 'Refused requests').click()
  await page.getByRole('row', { name: /404/ }).click()
  const refused = page.getByRole('dialog')
  await expect(refused.getByText(/Refused with status 404/)).toBeVisible()
  await expect(refused.getByLabel('Latest request, redacted', { exact: true })).toContainText('Too late')
  await page.keyboard.press('Escape')
  await expect(refused).toHaveCount(0)
  await tab(page, 'Live events').click()
  await expect(page.getByText(/This source is disabled and refuses events/)).toBeVisible()

  await tab(page, 'Settings').click()
  await page.getByRole('switch', { name: 'Receive events' }).click()
  await expect(page.getByText('Source Enabled')).toBeVisible()
  expect(await sendTracks(product.url, key, [{ event: 'In time', messageId: 'in-time' }])).toBe(200)

  await page.getByRole('button', { name: 'Delete source' }).click()
  const confirm = page.getByRole('dialog', { name: 'Delete source' })
  await expect(
    confirm.getByText('Are you sure you want to delete the New name source along with all its associated syncs?'),
  ).toBeVisible()
  await confirm.getByRole('button', { name: 'Cancel' }).click()
  await expect(confirm).toHaveCount(0)
  await page.getByRole('button', { name: 'Delete source' }).click()
  await confirm.getByRole('button', { name: 'Delete source' }).click()
  await expect(page.getByText('Source Deleted')).toBeVisible()
  await expect(page).toHaveURL(new RegExp(`/${workspace}/sources$`))
  await expect(page.getByText('Add your first source')).toBeVisible()
  expect(await sendTracks(product.url, key, [{ event: 'Gone', messageId: 'gone' }])).toBe(401)
})

test('a destination can be renamed, reconfigured, disabled, and deleted', async ({
  signedIn: page,
  product,
  receiver,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Destination life')
  const { source } = await createSource(product.api, workspace, 'Shop')
  const destination = await createWebhook(product.api, workspace, source, { url: receiver.url }, 'Old hook')
  await page.goto(`/${destination}#settings`)
  const general = page.getByRole('form', { name: 'General' })
  await general.getByRole('textbox', { name: 'Title' }).fill('New')
  await general.getByRole('button', { name: 'Save Changes' }).click()
  await expect(general.getByText('At least 4 characters')).toBeVisible()
  await general.getByRole('textbox', { name: 'Title' }).fill('New hook')
  await general.getByRole('button', { name: 'Save Changes' }).click()
  await expect(page.getByText('Destination Updated')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'New hook', level: 1 })).toBeVisible()

  const settings = page.getByRole('region', { name: 'Settings' })
  const url = settings.getByRole('textbox', { name: 'URL' })
  await url.fill('https://name:secret@example.com/hook')
  await settings.getByRole('button', { name: 'Save' }).click()
  await expect(url).toHaveAccessibleDescription(/Put credentials in a header, not in the URL/)
  await settings.getByRole('button', { name: 'Discard' }).click()
  await expect(url).toHaveValue(receiver.url)
  await settings.getByRole('combobox', { name: 'Method' }).selectOption('PUT')
  await settings.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Setting Updated')).toBeVisible()

  await page.getByRole('switch', { name: 'Deliver events' }).click()
  await expect(page.getByText(/This destination is paused. Its events are held/)).toBeVisible()
  await page.getByRole('link', { name: 'Destinations', exact: true }).first().click()
  await expect(page.getByRole('row', { name: /New hook/ })).toContainText('Paused')
  await page.getByRole('link', { name: 'New hook' }).click()
  await tab(page, 'Settings').click()
  await expect(page.getByRole('combobox', { name: 'Method' })).toHaveValue('PUT')
  await page.getByRole('button', { name: 'Delete destination' }).click()
  const confirm = page.getByRole('dialog', { name: 'Delete destination' })
  await expect(confirm.getByText(/Are you sure you want to delete the New hook destination\?/)).toBeVisible()
  await confirm.getByRole('button', { name: 'Delete destination' }).click()
  await expect(page.getByText('Destination Deleted')).toBeVisible()
  await expect(page).toHaveURL(new RegExp(`/${workspace}/destinations$`))
  await expect(page.getByText('Add your first destination')).toBeVisible()
})
