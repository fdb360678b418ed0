import type { Page } from '@playwright/test'
import { createSource, createWorkspace, eventually } from '@tributary/test-kit'
import { addPerson, signIn } from './people.ts'
import { expect, test } from './product-fixture.ts'
import { sendTracks } from './tracking.ts'

/** Presses Tab until the named control has the focus. */
const tabTo = async (
  page: Page,
  role: 'button' | 'link' | 'textbox' | 'checkbox' | 'tab' | 'row',
  name: string | RegExp,
): Promise<void> => {
  const wanted = page.getByRole(role, { name, exact: true })
  await expect(wanted).toBeVisible()
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab')
    if (await wanted.evaluate((element) => element === document.activeElement)) return
  }
  throw new Error(`${role} ${name} is not reached by Tab`)
}

/** Opens the command palette, types, and chooses the first entry when it is the named entry. */
const runCommand = async (page: Page, text: string, entry: string): Promise<void> => {
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog', { name: 'Command palette' })
  await expect(palette.getByRole('combobox')).toBeFocused()
  await page.keyboard.type(text)
  await expect(palette.getByRole('option').first()).toContainText(entry)
  await page.keyboard.press('Enter')
  await expect(palette).toHaveCount(0)
}

test('the first Tab offers a link to skip to the content, which does not change the selected tab', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Skip link')
  const { source } = await createSource(product.api, workspace, 'Shop')
  await page.goto(`/${source}#settings`)
  const chosen = page.getByRole('tab', { name: 'Settings' })
  await expect(chosen).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('main')).toBeFocused()
  await expect(chosen).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Tab')
  await expect(
    page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Sources' }),
  ).toBeFocused()
})

test('a user can go from the sign-in page to a delivered event with only the keyboard', async ({
  page,
  product,
  database,
  receiver,
}) => {
  const { organization, workspace } = await createWorkspace(product.api, 'No mouse')
  const person = await addPerson(database, 'Kit', { organization, role: 'ORG_ADMIN' })
  const chosen = (name: string) => expect(page.getByRole('tab', { name, selected: true })).toBeVisible()
  await page.goto('/auth/login')
  await expect(page.getByRole('textbox', { name: 'Email' })).toBeFocused()
  await page.keyboard.type(person.email)
  await expect(page.getByRole('textbox', { name: 'Email' })).toHaveValue(person.email)
  await page.keyboard.press('Tab')
  await page.keyboard.type(person.password)
  await page.keyboard.press('Enter')
  // The only workspace opens automatically.
  await expect(page).toHaveURL(new RegExp(`/${workspace}$`))
  await expect(page.getByRole('heading', { name: 'Home', level: 1 })).toBeVisible()

  await runCommand(page, 'new source http api', 'New source: HTTP API')
  await expect(page.getByRole('textbox', { name: 'Title' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'HTTP API', level: 1 })).toBeVisible()
  await chosen('Set up')
  await tabTo(page, 'button', 'Copy key')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Write key copied')).toBeVisible()
  const key = await page.evaluate(() => navigator.clipboard.readText())

  await runCommand(page, 'new destination webhook', 'New destination: Webhook')
  await expect(page.getByRole('textbox', { name: 'Title' })).toBeFocused()
  await tabTo(page, 'textbox', 'URL')
  await page.keyboard.type(receiver.url)
  await tabTo(page, 'checkbox', 'HTTP API')
  await page.keyboard.press('Space')
  await tabTo(page, 'button', 'Create')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Webhook', level: 1 })).toBeVisible()
  await chosen('Mappings')

  const messageId = `no-mouse-${workspace}`
  expect(await sendTracks(product.url, key, [{ event: 'Order Completed', messageId }])).toBe(200)
  await eventually('the webhook is called', () => receiver.calls.find(({ body }) => body.includes(messageId)))
  await page.keyboard.press('g')
  await page.keyboard.press('d')
  await expect(page.getByRole('heading', { name: 'Destinations', level: 1 })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Webhook' })).toBeVisible()
  await page.keyboard.press('/')
  await expect(page.getByRole('searchbox', { name: 'Search destinations' })).toBeFocused()
  await page.keyboard.type('webh')
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('link', { name: 'Webhook' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Webhook', level: 1 })).toBeVisible()
  await tabTo(page, 'tab', 'Overview')
  for (const name of ['Failures', 'Deliveries']) {
    await page.keyboard.press('ArrowRight')
    await expect(page.getByRole('tab', { name })).toBeFocused()
  }
  await page.keyboard.press('Enter')
  const delivered = page.getByRole('table', { name: 'Deliveries' }).getByRole('row', { name: /Delivered/ })
  await expect(delivered).toBeVisible()
  await tabTo(page, 'row', /Delivered/)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Order Completed' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(delivered).toBeFocused()
})

test('? lists the shortcuts, none of them works while typing or in a dialog, and the palette opens from a text field', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Shortcuts')
  const { source } = await createSource(product.api, workspace, 'Shop')
  await page.goto(`/${workspace}/sources`)
  await expect(page.getByRole('link', { name: 'Shop' })).toBeVisible()
  await page.keyboard.press('?')
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expect(list.getByText('Search this page')).toBeVisible()
  for (const key of ['g', 'd', 'Control+k']) await page.keyboard.press(key)
  await expect(list).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(list).toHaveCount(0)

  const search = page.getByRole('searchbox', { name: 'Search sources' })
  await page.keyboard.press('/')
  await expect(search).toBeFocused()
  await page.keyboard.type('gd/?')
  await expect(search).toHaveValue('gd/?')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog', { name: 'Command palette' })
  await expect(palette.getByRole('combobox')).toBeFocused()
  await page.keyboard.type('sho')
  await expect(palette.getByRole('option').first()).toContainText('Shop')
  await expect(palette.getByRole('option').first()).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Escape')
  await expect(palette).toHaveCount(0)
  await expect(search).toBeFocused()
  await expect(page).toHaveURL(new RegExp(`/${workspace}/sources\\?search=gd%2F%3F$`))
  await page.keyboard.press('Control+k')
  await page.keyboard.type('shop')
  await expect(palette.getByRole('option').first()).toContainText('Shop')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`/${source}$`))
})

test('text that is typed while the command palette loads is in its input when it opens', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Typing ahead')
  const { source } = await createSource(product.api, workspace, 'Shop')
  const { promise: typed, resolve: hasTyped } = Promise.withResolvers<void>()
  await page.route(/\/command-palette[^/]*\.js$/, async (route) => {
    await typed
    await route.continue()
  })
  await page.goto(`/${workspace}/sources`)
  await expect(page.getByRole('link', { name: 'Shop' })).toBeVisible()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('sh')
  hasTyped()
  const box = page.getByRole('dialog', { name: 'Command palette' }).getByRole('combobox')
  await expect(box).toBeFocused()
  await page.keyboard.type('op')
  await expect(box).toHaveValue('shop')
  await expect(page.getByRole('option').first()).toContainText('Shop')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`/${source}$`))
})

test('the sidebar is collapsed and expanded with the keyboard, stays so over a reload, and its links keep their names', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Sidebar')
  await page.goto(`/${workspace}`)
  await tabTo(page, 'button', 'Collapse sidebar')
  await page.keyboard.press('Enter')
  const expand = page.getByRole('button', { name: 'Expand sidebar' })
  await expect(expand).toBeFocused()
  await expect(expand).toHaveAttribute('aria-expanded', 'false')
  await page.reload()
  await expect(expand).toBeVisible()
  const navigation = page.getByRole('navigation', { name: 'Workspace' })
  await expect(navigation.getByRole('link')).toHaveCount(9)
  for (const name of [
    'Home',
    'Sources',
    'Destinations',
    'Connections',
    'Events',
    'Profiles',
    'Audiences',
    'Syncs',
    'Signals',
  ])
    await expect(navigation.getByRole('link', { name, exact: true })).toBeVisible()
  await expect(navigation.getByText('Sources')).toHaveCount(0)
  await tabTo(page, 'button', 'Expand sidebar')
  await page.keyboard.press('Space')
  await page.reload()
  await expect(page.getByRole('button', { name: 'Collapse sidebar' })).toHaveAttribute('aria-expanded', 'true')
})

test('a menu opens with the keyboard, arrows reach its entries, Escape returns the focus, and Enter chooses', async ({
  page,
  product,
  database,
}) => {
  const { workspace, organization } = await createWorkspace(product.api, 'Menus')
  await signIn(page, await addPerson(database, 'Mel', { organization, role: 'ORG_ADMIN' }))
  await page.goto(`/${workspace}`)
  await tabTo(page, 'button', 'User menu')
  await page.keyboard.press('Enter')
  const menu = page.getByRole('menu')
  await expect(menu).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(menu).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'User menu' })).toBeFocused()

  await page.keyboard.press('Enter')
  await expect(menu).toBeVisible()
  await expect(page.getByRole('menuitem', { name: 'Organization settings' })).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('menuitemradio', { name: 'System' })).toBeFocused()
  await expect(page.getByRole('menuitemradio', { name: 'System' })).toBeChecked()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('menuitemradio', { name: 'Dark' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await page.reload()
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')

  await tabTo(page, 'button', 'Workspace Production')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menuitem', { name: 'Production' })).toBeFocused()
  await expect(page.getByRole('menuitem', { name: 'Production' })).toHaveAttribute('aria-current', 'true')
  await page.keyboard.press('End')
  await expect(page.getByRole('menuitem', { name: 'Change workspace' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('region', { name: 'Menus' })).toBeVisible()
})

test('a confirmation opens with the keyboard, keeps the focus inside, closes with Escape, and returns the focus', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Dialogs')
  const { source } = await createSource(product.api, workspace, 'Shop')
  await page.goto(`/${source}#settings`)
  await tabTo(page, 'button', 'Delete source')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Delete source' })
  await expect(dialog).toBeVisible()
  for (let presses = 0; presses < 5; presses++) {
    await page.keyboard.press('Tab')
    await expect(dialog.locator(':focus')).toHaveCount(1)
  }
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Delete source' })).toBeFocused()
  expect((await product.api.ok('GET', `/${source}`)).title).toBe('Shop')
})

test('arrows change tabs, and the URL follows', async ({ signedIn: page, product }) => {
  const { workspace } = await createWorkspace(product.api, 'Tabs')
  const { source } = await createSource(product.api, workspace, 'Shop')
  await page.goto(`/${source}`)
  await page.getByRole('tab', { name: 'Live events' }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('tab', { name: 'Schema' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`/${source}#schema$`))
  await expect(page.getByText('No events in the schema yet')).toBeVisible()
})

test('on a phone, the navigation opens with the keyboard, closes with Escape, and leads to a page', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Phone')
  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto(`/${workspace}`)
  await tabTo(page, 'button', 'Open navigation')
  await page.keyboard.press('Enter')
  const navigation = page.getByRole('dialog', { name: 'Navigation' })
  await expect(navigation).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(navigation).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Open navigation' })).toBeFocused()
  await page.keyboard.press('Enter')
  await navigation.getByRole('link', { name: 'Sources' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Sources', level: 1 })).toBeVisible()
  await expect(navigation).toHaveCount(0)
})
