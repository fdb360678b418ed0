import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { colourOf } from './colour.ts'
import { startKit } from './kit.ts'
import { expect, test as productTest } from './product-fixture.ts'

let kit: Awaited<ReturnType<typeof startKit>> | undefined

/** A page with every component; the product is not needed for it. */
const test = productTest.extend<{ page: Page }>({
  page: async ({ chromium }, use) => {
    const context = await chromium.newContext({ baseURL: kit?.url ?? '' })
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

test('FORM-06, FORM-07, FORM-08: rules are checked on submit, then on every change, and the first field in error has the cursor', async ({
  page,
}) => {
  await page.goto('')
  const name = form(page).getByRole('textbox', { name: 'Name' })
  const email = form(page).getByRole('textbox', { name: 'Email' })
  await name.fill('Jane')
  await email.fill('jane@')
  await email.blur()
  await expect(email).not.toHaveAttribute('aria-invalid')
  await expect(page.getByText('Invalid email')).toHaveCount(0)
  await form(page).getByRole('button', { name: 'Save Changes' }).click()
  await expect(page.getByText('Invalid email')).toBeVisible()
  await expect(page.getByText('Password is required')).toBeVisible()
  await expect(email).toBeFocused()
  await email.pressSequentially('example.com')
  await expect(page.getByText('Invalid email')).toHaveCount(0)
  await expect(email).not.toHaveAttribute('aria-invalid')
  await name.fill('')
  await expect(name).toHaveAccessibleDescription('Required')
})

test('FORM-09, FORM-10: a required field has a red asterisk behind its label, and its error an icon below it', async ({
  page,
}) => {
  await page.goto('')
  const label = form(page).locator('label', { hasText: 'Email' })
  await expect(label).toHaveText('Email*')
  const asterisk = label.getByText('*')
  expect(await asterisk.evaluate((element) => element === element.parentElement?.lastElementChild)).toBe(true)
  const [red = 0, green = 0, blue = 0] = await colourOf(asterisk, 'color')
  expect(red).toBeGreaterThan(2 * Math.max(green, blue))
  await expect(form(page).locator('label', { hasText: 'Price' })).toHaveText('Price')
  await form(page).getByRole('button', { name: 'Save Changes' }).click()
  const email = form(page).getByRole('textbox', { name: 'Email' })
  const error = form(page).getByText('Required').last()
  await expect(email).toHaveAccessibleDescription('Your work address Required')
  await expect(error.locator('xpath=ancestor::p').locator('svg')).toBeVisible()
  const below = await error.evaluate((element) => element.getBoundingClientRect().top)
  expect(below).toBeGreaterThan(await email.evaluate((element) => element.getBoundingClientRect().bottom - 1))
})

test('FORM-13, FORM-14: a price stands behind a dollar sign, and a secret can be revealed and hidden', async ({
  page,
}) => {
  await page.goto('')
  const price = form(page).getByRole('spinbutton', { name: 'Price' })
  await expect(price).toHaveAttribute('type', 'number')
  const sign = form(page).getByText('$', { exact: true })
  await expect(sign).toBeVisible()
  const [signBox, priceBox] = [await sign.boundingBox(), await price.boundingBox()]
  expect(signBox?.x ?? 0).toBeGreaterThan(priceBox?.x ?? 0)
  expect((signBox?.x ?? 0) + (signBox?.width ?? 0)).toBeLessThan((priceBox?.x ?? 0) + 24)

  const password = form(page).getByLabel('Password', { exact: false }).and(page.locator('input'))
  await password.fill('secret')
  await expect(password).toHaveAttribute('type', 'password')
  await form(page).getByRole('button', { name: 'Show' }).click()
  await expect(password).toHaveAttribute('type', 'text')
  await form(page).getByRole('button', { name: 'Hide' }).click()
  await expect(password).toHaveAttribute('type', 'password')
  await expect(password).toHaveValue('secret')
})

test('FORM-15, FORM-16, FORM-17: Tab and Enter add a tag, and Backspace in the empty input removes the last one', async ({
  page,
}) => {
  await page.goto('')
  const input = form(page).getByRole('textbox', { name: 'Tags' })
  const tags = form(page).getByRole('button', { name: /^Remove / })
  await input.fill('x')
  await input.press('Tab')
  await expect(form(page).getByRole('button', { name: 'Remove x' })).toBeVisible()
  await expect(input).toBeFocused()
  await input.fill('y')
  await input.press('Enter')
  await expect(form(page).getByRole('button', { name: 'Remove y' })).toBeVisible()
  await expect(page.getByText('Password is required')).toHaveCount(0)
  await expect(tags).toHaveCount(3)
  await input.fill('ab')
  await input.press('Backspace')
  await expect(input).toHaveValue('a')
  await expect(tags).toHaveCount(3)
  await input.press('Backspace')
  await input.press('Backspace')
  await expect(tags).toHaveCount(2)
  await expect(form(page).getByRole('button', { name: 'Remove y' })).toHaveCount(0)
})

test('FORM-05: a bullet list in a description shows discs', async ({ page }) => {
  await page.goto('')
  const point = page.getByRole('listitem').filter({ hasText: 'one point' })
  expect(await point.evaluate((element) => getComputedStyle(element).listStyleType)).toBe('disc')
})

test('UI-17: a disabled item of a menu says why on hover', async ({ page }) => {
  await page.goto('')
  await page.getByRole('button', { name: 'Menu', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Disabled' }).hover({ force: true })
  await expect(page.getByText('Only administrators can do this')).toBeVisible()
})

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

test('UI-28: a click on the head of a column sorts ascending, and another one descending', async ({ page }) => {
  await page.goto('')
  const table = page.getByRole('table', { name: 'Fruits' })
  const rows = table.getByRole('rowgroup').last().getByRole('row')
  const head = table.getByRole('columnheader', { name: 'Price' })
  await head.getByRole('button').click()
  await expect(head).toHaveAttribute('aria-sort', 'ascending')
  await expect(rows).toContainText(['Apple', 'Quince', 'Medlar'])
  await head.getByRole('button').click()
  await expect(head).toHaveAttribute('aria-sort', 'descending')
  await expect(rows).toContainText(['Medlar', 'Quince', 'Apple'])
})

test('UI-35, UI-36, UI-37: the hash selects a browsable tab, and a tab sets or clears the hash', async ({ page }) => {
  await page.goto('#empty')
  const hash = (): Promise<string> => page.evaluate(() => window.location.hash)
  await expect(page.getByRole('tab', { name: 'Empty table' })).toHaveAttribute('aria-selected', 'true')
  await expect(page.getByText('No Entries Found')).toBeVisible()
  await page.getByRole('tab', { name: 'Loading' }).click()
  await expect.poll(hash).toBe('#loading')
  await page.getByRole('tab', { name: 'Table', exact: true }).click()
  await expect.poll(hash).toBe('')
  await expect(page.getByRole('table', { name: 'Fruits' })).toBeVisible()
})

test('a panel comes in from the right, keeps the focus and closes on Escape', async ({ page }) => {
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

test('no component breaks a rule of accessibility or sticks out of a phone, in light and in dark', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 800 })
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.goto('')
    await form(page).getByRole('button', { name: 'Save Changes' }).click()
    await expect(page.getByText('Password is required')).toBeVisible()
    const { violations } = await new AxeBuilder({ page }).analyze()
    expect(violations.map(({ id, nodes }) => `${colorScheme} ${id}: ${nodes[0]?.html}`)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  }
})

test('MAP-17b: an editor works without any request to another origin, and a plain field takes its place when its module cannot be loaded', async ({
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

test('in an editor Tab indents, and leaves it after Escape; Shift and Tab go back', async ({ page }) => {
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
  // Whoever types again is back in the text.
  await page.keyboard.press('End')
  await page.keyboard.press('Tab')
  await expect(editor).toBeFocused()
})

test('MAP-11, MAP-12, MAP-14, MAP-15: what a template can use is put where the cursor is, and a mistake in it is told until it is mended', async ({
  page,
}) => {
  await page.goto('')
  await expect(page.locator('.cm-editor').first()).toBeVisible()
  const settings = page.getByRole('region', { name: 'Settings' })
  const editor = settings.getByRole('textbox', { name: 'Message' })
  await expect(settings.getByRole('group', { name: 'Variables' }).getByRole('button').first()).toHaveText('event')
  await expect(settings.getByRole('group', { name: 'Filters' }).getByRole('button')).toHaveText(
    'append prepend capitalize downcase upcase ceil floor plus date'.split(' '),
  )
  await editor.fill('By ')
  await settings.getByRole('button', { name: 'Insert userId' }).click()
  await expect(editor).toHaveText('By {{ userId }}')
  await expect(editor).toBeFocused()
  await editor.fill('By {{ userId ')
  await settings.getByRole('button', { name: 'Insert upcase' }).click()
  await expect(editor).toHaveText('By {{ userId  | upcase')
  const apply = settings.getByRole('button', { name: 'Apply' })
  await expect(settings.getByText(/^Error at >> 1\| By \{\{ userId/)).toBeVisible()
  await expect(apply).toBeDisabled()
  await editor.press('End')
  await page.keyboard.insertText(' }}')
  await expect(settings.getByText(/^Error at/)).toHaveCount(0)
  await apply.click()
  await expect(apply).toHaveCount(0)
  await expect(editor).toHaveText('By {{ userId  | upcase }}')
})

test('MAP-07, MAP-10a: a query is shown, edited and given up again; a fixed one can be set once, and an empty one is refused', async ({
  page,
}) => {
  await page.goto('')
  const settings = page.getByRole('region', { name: 'Settings' })
  const editor = settings.getByRole('textbox', { name: 'Statement' })
  const query = settings.getByLabel('Statement', { exact: true })
  await expect(query).toHaveText(/^insert into events/)
  await expect(editor).toHaveCount(0)
  await settings.getByRole('button', { name: 'Edit Statement' }).click()
  await editor.fill('select 2')
  await settings.getByRole('button', { name: 'Cancel' }).click()
  await expect(query).toHaveText(/^insert into events/)
  await settings.getByRole('button', { name: 'Edit Statement' }).click()
  await editor.fill('')
  await settings.getByRole('button', { name: 'Save' }).click()
  await expect(editor).toHaveAttribute('aria-invalid', 'true')
  await expect(settings.getByText('Required', { exact: true })).toBeVisible()
  await editor.fill('select 3')
  await settings.getByRole('button', { name: 'Save' }).click()
  await expect(editor).toHaveCount(0)
  await expect(query).toHaveText('select 3')

  await expect(settings.getByLabel('Fixed query', { exact: true })).toHaveText('select 1')
  await expect(settings.getByRole('button', { name: 'Edit Fixed query' })).toHaveCount(0)
  await settings.getByRole('button', { name: 'Edit First query' }).click()
  await settings.getByRole('textbox', { name: 'First query' }).fill('select 4')
  await settings.getByRole('button', { name: 'Save' }).click()
  await expect(settings.getByLabel('First query', { exact: true })).toHaveText('select 4')
  await expect(settings.getByRole('button', { name: 'Edit First query' })).toHaveCount(0)
})
