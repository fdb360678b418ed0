import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { startKit } from './kit.ts'
import { expect, test as productTest } from './product-fixture.ts'

let kit: Awaited<ReturnType<typeof startKit>> | undefined

/**
 * Tests on the page with every component, for states that no screen of the product shows. They need no running product.
 */
const test = productTest.extend<{ page: Page }>({
  page: async ({ chromium }, use) => {
    const context = await chromium.newContext({ baseURL: kit?.url ?? '', reducedMotion: 'reduce' })
    const page = await context.newPage()
    await use(page)
    await context.close()
  },
})

test.beforeAll(async () => {
  kit = await startKit()
})
test.afterAll(async () => kit?.[Symbol.asyncDispose]())

const form = (page: Page) => page.getByRole('form', { name: 'Example' })

test('a long menu is about 10rem high and scrolls', async ({ page }) => {
  await page.goto('')
  await page.getByRole('button', { name: 'Long menu' }).click()
  await expect(page.getByRole('menuitem')).toHaveCount(30)
  const list = page.getByRole('menuitem').first().locator('xpath=..')
  const { maxHeight, overflow, height, whole } = await list.evaluate((element) => ({
    maxHeight: getComputedStyle(element).maxHeight,
    overflow: getComputedStyle(element).overflowY,
    height: element.clientHeight,
    whole: element.scrollHeight,
  }))
  expect({ maxHeight, overflow }).toEqual({ maxHeight: '160px', overflow: 'auto' })
  expect(whole).toBeGreaterThan(height)
  await page.keyboard.press('End')
  await expect(page.getByRole('menuitem', { name: 'Item 30' })).toBeInViewport()
})

test('a panel slides in from the right, keeps the focus, and closes with Escape', async ({ page }) => {
  await page.goto('')
  const opener = page.getByRole('button', { name: 'Panel sm' })
  await opener.click()
  const panel = page.getByRole('dialog', { name: 'A panel' })
  await expect(panel).toBeVisible()
  await expect
    .poll(async () => Math.round(await panel.evaluate((element) => element.getBoundingClientRect().right)))
    .toBe(await page.evaluate(() => document.documentElement.clientWidth))
  await page.keyboard.press('Escape')
  await expect(panel).toHaveCount(0)
  await expect(opener).toBeFocused()
})

test('no component violates an accessibility rule or exceeds the width of a phone, in light and dark mode', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 800 })
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.goto('')
    await form(page).getByRole('button', { name: 'Save Changes' }).click()
    await expect(page.getByText('Password is required')).toBeVisible()
    const { violations } = await new AxeBuilder({ page })
      .options({ rules: { 'target-size': { enabled: true } } })
      .analyze()
    expect(violations.map(({ id, nodes }) => `${colorScheme} ${id}: ${nodes[0]?.html}`)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  }
})

test('no state of a pattern violates an accessibility rule or exceeds the width of a phone', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 800 })
  for (const [address, heading] of [
    ['?pattern=list', 'Objects'],
    ['?pattern=list&state=empty', 'Add your first object'],
    ['?pattern=detail', 'Object 1'],
    ['?pattern=detail&state=failed', 'Failed to load the object'],
    ['?pattern=create', 'Add an object'],
    ['?pattern=create&step=fill', 'New object'],
    ['?pattern=overlays', 'Dialogs and panels'],
  ] as const) {
    await page.goto(address)
    await expect(page.getByRole('heading', { name: heading })).toBeVisible()
    const { violations } = await new AxeBuilder({ page }).analyze()
    expect(violations.map(({ id, nodes }) => `${address} ${id}: ${nodes[0]?.html}`)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth), address).toBe(390)
  }
})

test('MAP-17b: an editor requests nothing from other origins, and a plain field replaces it if its module cannot be loaded', async ({
  page,
}) => {
  const asked = new Set<string>()
  page.on('request', (request) => asked.add(new URL(request.url()).origin))
  await page.goto('')
  const editor = page.getByRole('textbox', { name: 'JSON', exact: true })
  await expect(page.locator('.cm-editor').first()).toBeVisible()
  await editor.fill('[7]')
  await expect(editor).toHaveText('[7]')
  expect([...asked].filter((origin) => origin !== new URL(kit?.url ?? '').origin && origin !== 'null')).toEqual([])

  await page.route(/code-mirror/, (route) => route.abort())
  await page.goto('')
  await expect(page.locator('textarea[aria-label="JSON"]')).toBeVisible()
  await editor.fill('[8]')
  await expect(editor).toHaveValue('[8]')
  await expect(page.locator('.cm-editor')).toHaveCount(0)
})

test('Tab indents in an editor, and leaves the editor after Escape; Shift+Tab goes back', async ({ page }) => {
  await page.goto('')
  await expect(page.locator('.cm-editor').first()).toBeVisible()
  const editor = page.getByRole('textbox', { name: 'JSON', exact: true })
  await editor.fill('x')
  await page.keyboard.press('Tab')
  await expect(editor).toHaveText('  x')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Tab')
  await expect(editor).not.toBeFocused()
  await page.keyboard.press('Shift+Tab')
  await expect(editor).toBeFocused()
  // Typing moves the focus back to the text.
  await page.keyboard.press('End')
  await page.keyboard.press('Tab')
  await expect(editor).toBeFocused()
})
