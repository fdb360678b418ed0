import type { Page } from '@playwright/test'
import { adminCredentials, createSource, createWorkspace } from '@tributary/test-kit'
import { expect, test } from './product-fixture.ts'

/** Presses Tab until the named control has the focus. */
const tabTo = async (page: Page, role: 'button' | 'link', name: string): Promise<void> => {
  const wanted = page.getByRole(role, { name, exact: true })
  await expect(wanted).toBeVisible()
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press('Tab')
    if (await wanted.evaluate((element) => element === document.activeElement)) return
  }
  throw new Error(`${role} ${name} is not reached by Tab`)
}

test('the first Tab offers to skip to the content, and taking it leaves the tab of the page as it is', async ({
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

test('somebody signs in with the keyboard alone, key by key', async ({ page, product }) => {
  await page.goto('/auth/login')
  await expect(page.getByRole('textbox', { name: 'Email' })).toBeFocused()
  await page.keyboard.type(adminCredentials.email)
  await expect(page.getByRole('textbox', { name: 'Email' })).toHaveValue(adminCredentials.email)
  await page.keyboard.press('Tab')
  await page.keyboard.type(adminCredentials.password)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`${product.url}/`)
})

test('the sidebar is collapsed and expanded by keyboard, stays so over a reload, and its links keep their names', async ({
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
  await expect(navigation.getByRole('link')).toHaveCount(3)
  for (const name of ['Home', 'Sources', 'Destinations'])
    await expect(navigation.getByRole('link', { name, exact: true })).toBeVisible()
  await expect(navigation.getByText('Sources')).toHaveCount(0)
  await tabTo(page, 'button', 'Expand sidebar')
  await page.keyboard.press('Space')
  await page.reload()
  await expect(page.getByRole('button', { name: 'Collapse sidebar' })).toHaveAttribute('aria-expanded', 'true')
})

test('a menu opens by keyboard, its entries are reached by arrows, Escape gives the focus back, Enter chooses', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Menus')
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
  await expect(page.getByRole('menuitem', { name: 'Change workspace' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('region', { name: 'Menus' })).toBeVisible()
})

test('a confirmation opens by keyboard, keeps the focus inside, closes on Escape and gives it back', async ({
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

test('tabs are changed by arrows, and the address follows', async ({ signedIn: page, product }) => {
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

test('on a phone the navigation opens by keyboard, closes on Escape, and leads to a page', async ({
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
