import type { Locator, Page } from '@playwright/test'
import { sourceTypes } from '@tributary/contract'
import { createSource, createWebhook, createWorkspace, eventually } from '@tributary/test-kit'
import { expect, test } from './product-fixture.ts'
import { sendTracks } from './tracking.ts'

const tableRows = (page: Page, name: string): Locator =>
  page.getByRole('table', { name }).getByRole('rowgroup').last().getByRole('row')

test('a new write key is accepted immediately, and a revoked one is refused', async ({ signedIn: page, product }) => {
  const { workspace } = await createWorkspace(product.api, 'Write keys')
  const { source, key } = await createSource(product.api, workspace, 'Shop')
  await page.goto(`/${source}#setup`)
  await expect(page.getByRole('button', { name: 'Revoke', exact: true })).toHaveCount(1)
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('dialog', { name: 'Create write key' }).getByRole('button', { name: 'Create key' }).click()
  await expect(page.getByText('Write Key Created')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Revoke', exact: true })).toHaveCount(2)
  await page.getByRole('button', { name: 'Copy key' }).first().click()
  const added = await page.evaluate(() => navigator.clipboard.readText())
  expect(added).not.toBe(key)
  expect(await sendTracks(product.url, added, [{ event: 'With the new key', messageId: 'new-key' }])).toBe(200)

  await page.getByRole('button', { name: 'Revoke', exact: true }).last().click()
  const dialog = page.getByRole('dialog', { name: 'Revoke write key' })
  await expect(dialog.getByText(key.slice(0, 4))).toBeVisible()
  await dialog.getByRole('button', { name: 'Revoke key' }).click()
  await expect(page.getByText('Write Key Revoked')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Revoke', exact: true })).toHaveCount(1)
  expect(await sendTracks(product.url, key, [{ event: 'With the old key', messageId: 'old-key' }])).toBe(401)
  expect(await sendTracks(product.url, added, [{ event: 'Still', messageId: 'still' }])).toBe(200)
})

test('a disabled or deleted connection delivers nothing more', async ({ signedIn: page, product, receiver }) => {
  const { workspace } = await createWorkspace(product.api, 'Connections')
  const { source, key } = await createSource(product.api, workspace, 'Shop')
  const destination = await createWebhook(product.api, workspace, source, { url: receiver.url }, 'Hook')
  const send = async (messageId: string): Promise<void> =>
    expect(await sendTracks(product.url, key, [{ event: 'Order', messageId }])).toBe(200)
  const delivered = (messageId: string) => eventually(messageId, () => receiver.messageIds().has(messageId))

  await page.goto(`/${source}#connections`)
  const toggle = page.getByRole('switch', { name: 'Connection with Hook' })
  await expect(toggle).toBeChecked()
  const answered = page.waitForResponse((response) => response.request().method() === 'PATCH')
  await toggle.click()
  await answered
  await send('connection-off')
  await toggle.click()
  await expect(toggle).toBeChecked()
  await page.getByRole('button', { name: 'Disconnect' }).click()
  const dialog = page.getByRole('dialog', { name: 'Disconnect' })
  await expect(dialog.getByText(/Hook stops receiving events from Shop/)).toBeVisible()
  await dialog.getByRole('button', { name: 'Disconnect' }).click()
  await expect(page.getByText('Destination Disconnected')).toBeVisible()
  await send('connection-gone')
  await page.getByRole('button', { name: 'Connect destination' }).click()
  await page.getByRole('option', { name: 'Hook' }).click()
  await expect(page.getByText('Destination Connected')).toBeVisible()
  await send('connection-back')
  await delivered('connection-back')
  expect(receiver.messageIds().has('connection-off')).toBe(false)
  expect(receiver.messageIds().has('connection-gone')).toBe(false)
  expect((await product.api.ok('GET', `/${destination}`)).title).toBe('Hook')
})

test('each setting is saved separately and applies from the next delivery; a secret is never shown again', async ({
  signedIn: page,
  product,
  receiver,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Settings')
  const { source, key } = await createSource(product.api, workspace, 'Shop')
  const destination = await createWebhook(product.api, workspace, source, { url: receiver.url }, 'Hook')
  await page.goto(`/${destination}#settings`)
  const settings = page.getByRole('region', { name: 'Settings' })
  const secret = settings.getByLabel('Signing secret', { exact: true })
  await secret.fill('a secret of mine')
  await settings.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Setting Updated')).toBeVisible()
  await expect(secret).toHaveValue('')
  await expect(secret).toHaveAttribute('placeholder', /set/)
  await settings.getByRole('button', { name: 'Add header' }).click()
  await settings.getByRole('textbox', { name: 'Header name' }).fill('X-Team')
  await settings.getByRole('textbox', { name: 'Header value' }).fill('Shop')
  const saved = page.waitForResponse((response) => response.url().endsWith(':updateSetting'))
  await settings.getByRole('button', { name: 'Save', exact: true }).click()
  expect((await saved).status()).toBe(200)
  await expect(settings.getByText('Headers are set and hidden. New headers replace all of them.')).toBeVisible()

  expect(await sendTracks(product.url, key, [{ event: 'Order', messageId: 'with-settings' }])).toBe(200)
  const call = await eventually('the webhook is called', () =>
    receiver.calls.find(({ body }) => body.includes('with-settings')),
  )
  expect(call.headers['x-team']).toBe('Shop')
  expect(call.headers['x-tributary-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/)
  await page.reload()
  await expect(settings.getByText('Headers are set and hidden. New headers replace all of them.')).toBeVisible()
  await expect(page.getByText('a secret of mine')).toHaveCount(0)
  expect(JSON.stringify(await product.api.ok('GET', `/${destination}`))).not.toContain('a secret of mine')
})

test('batch settings are shown only while batches are enabled, in the form and on the page', async ({
  signedIn: page,
  product,
  receiver,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Batches')
  await page.goto(`/${workspace}/catalog-destinations/webhook/new`)
  await page.getByRole('textbox', { name: 'URL' }).fill(receiver.url)
  const size = page.getByRole('textbox', { name: 'Events per batch' })
  const batches = page.getByRole('switch', { name: 'Send in batches' })
  await expect(batches).not.toBeChecked()
  await expect(size).toHaveCount(0)
  await batches.click()
  await size.fill('5000')
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(size).toHaveAccessibleDescription(/At most 1,000/)
  await batches.click()
  await expect(size).toHaveCount(0)
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByText('Destination Created')).toBeVisible()

  await page.getByRole('tab', { name: 'Settings' }).click()
  await expect(batches).not.toBeChecked()
  await expect(size).toHaveCount(0)
  await batches.click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(size).toHaveValue('100')
  await size.fill('7')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toHaveCount(0)
  await page.reload()
  await expect(size).toHaveValue('7')
})

test('UI-27, UI-28: a list is searched by its search box and sorted by its column headers', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Lists')
  for (const title of ['Quince', 'Apple', 'Medlar']) await createSource(product.api, workspace, title)
  await page.goto(`/${workspace}/sources`)
  const rows = tableRows(page, 'Sources')
  await expect(rows).toHaveCount(3)
  const head = page.getByRole('columnheader', { name: 'Source' })
  await head.getByRole('button').click()
  await expect(head).toHaveAttribute('aria-sort', 'ascending')
  await expect(rows).toContainText(['Apple', 'Medlar', 'Quince'])
  await head.getByRole('button').click()
  await expect(head).toHaveAttribute('aria-sort', 'descending')
  await expect(rows).toContainText(['Quince', 'Medlar', 'Apple'])
  await page.getByRole('searchbox', { name: 'Search sources' }).fill('MED')
  await expect(rows).toHaveCount(1)
  await expect(rows).toContainText(['Medlar'])
  await page.getByRole('searchbox', { name: 'Search sources' }).fill('no such source')
  await expect(page.getByText('No Entries Found')).toBeVisible()
})

test('a list fits a phone: long titles are cut, and nothing scrolls sideways', async ({ signedIn: page, product }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const { workspace } = await createWorkspace(product.api, 'Phone')
  await createSource(product.api, workspace, 'A source whose title goes on and on and does not end soon')
  await page.goto(`/${workspace}/sources`)
  const table = page.getByRole('table', { name: 'Sources' })
  await expect(tableRows(page, 'Sources')).toHaveCount(1)
  const { outer, inner } = await table.evaluate((element) => ({
    outer: element.parentElement?.clientWidth ?? 0,
    inner: element.scrollWidth,
  }))
  expect(inner).toBeLessThanOrEqual(outer)
  expect((await table.getByRole('link').boundingBox())?.width ?? 0).toBeGreaterThan(100)
})

test('SRC-01, SRC-06, SRC-07, SRC-08, SRC-25: the catalog is searched and filtered by category, and an entry opens New source for its app', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Catalogue')
  await page.goto(`/${workspace}/catalog-sources`)
  const search = page.getByRole('searchbox', { name: 'Search sources' })
  await search.fill('nothing like this')
  await expect(page.getByText('Nothing in the catalog matches “nothing like this”.')).toBeVisible()
  await search.fill('')
  const entries = page.getByRole('main').getByRole('listitem').getByRole('link').filter({ hasNotText: 'Sources' })
  const { catalog_sources } = await product.api.ok('GET', `/${workspace}/catalogSources?target_product=CDP`)
  const sources = catalog_sources as { title: string; type: number }[]
  const mobile = sources.filter(({ type }) => type === sourceTypes.Mobile)
  const python = sources.filter(({ title }) => title.includes('Python'))
  expect([mobile.length, python.length].every((count) => count > 1 && count < sources.length)).toBe(true)
  await expect(entries).toHaveCount(sources.length)

  const category = page.getByRole('group', { name: 'Category' })
  await expect(page.getByRole('region', { name: 'Mobile' }).getByRole('link')).toHaveCount(mobile.length)
  await category.getByRole('button', { name: /^Mobile/ }).focus()
  await page.keyboard.press('Enter')
  await expect(entries).toHaveCount(mobile.length)
  await search.fill('python')
  await expect(page.getByText('Nothing in the catalog matches “python” in Mobile.')).toBeVisible()
  await page.getByRole('button', { name: 'Search all categories' }).click()
  await expect(entries).toHaveCount(python.length)
  await search.focus()
  for (let step = 0; step < 6; step++) await page.keyboard.press('Tab')
  await expect(entries.first()).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`/${workspace}/catalog-sources/python/new`)
  await expect(page.getByRole('heading', { name: 'New source', exact: true, level: 1 })).toBeVisible()
  await expect(
    page.getByText('Create a new source for Python to start collecting data.', { exact: true }),
  ).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Title' })).toHaveValue('Python')
  const { docs_url } = await product.api.ok('GET', `/${workspace}/catalogSources/python`)
  await expect(page.getByRole('complementary').getByRole('link', { name: /^Documentation/ })).toHaveAttribute(
    'href',
    String(docs_url),
  )
  expect(docs_url).toMatch(/^https:/)
  await page.goBack()
  await expect(search).toHaveValue('python')
  await expect(entries).toHaveCount(python.length)
})

test('the guide of a source contains its key and the address of this server', async ({ signedIn: page, product }) => {
  const { workspace } = await createWorkspace(product.api, 'Guides')
  const host = new URL(product.url).host
  for (const [app, line] of [
    ['javascript', `cdnURL: '${product.url}'`],
    ['swift', `.apiHost("${host}/v1")`],
    ['segment-forward', `${product.url}/v1/forward?writeKey=`],
  ] as const) {
    const { source, key } = await createSource(product.api, workspace, app, app)
    await page.goto(`/${source}#setup`)
    await expect(page.getByRole('heading', { name: /^Send events with/ })).toBeVisible()
    await expect(page.getByRole('main')).toContainText(key)
    await expect(page.getByRole('main')).toContainText(line)
    await expect(page.getByRole('main')).not.toContainText(/\{\{|YOUR_WRITE_KEY/)
  }
})

test('the getting-started list of a workspace checks off completed steps, and stays hidden once it is hidden', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Getting started')
  await page.goto(`/${workspace}`)
  await expect(page.getByText(/^0 of \d done$/)).toBeVisible()
  // The next steps are above the figures, which are zero until the steps are done.
  const topOf = async (place: Locator): Promise<number> => (await place.boundingBox())?.y ?? Number.NaN
  expect(await topOf(page.getByRole('heading', { name: 'Getting started' }))).toBeLessThan(
    await topOf(page.getByRole('region', { name: 'Metrics' })),
  )
  await createSource(product.api, workspace)
  await page.reload()
  await expect(page.getByText(/^1 of \d done$/)).toBeVisible()
  await page.getByRole('button', { name: 'Hide', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'Getting started' })).toHaveCount(0)
  await page.reload()
  await expect(
    page.getByRole('region', { name: 'Metrics' }).getByRole('link', { name: /Active sources/ }),
  ).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Getting started' })).toHaveCount(0)
})
