// npm run screenshots: every screen × filled, empty, error × 1440 and 390 px × light and dark, as PNG files in
// `screenshots/`, with assertions:
// - no horizontal scroll, no clipped text, control, or choice, no word broken in two
// - no chosen tab out of view, no square corner in a round frame, no dialog above another
// - no move while the page loads, no console error, no accessibility violation
//
// Each page is loaded once for a width, in the light theme. Then the loaded page is made dark, and one of 1440 px is
// made 768 and 1920 px wide. Only screens whose name contains a word, or one of several, are taken with `npm run
// screenshots -- sources`.
import { mkdirSync, rmSync } from 'node:fs'
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, Page } from '@playwright/test'
import {
  adminCredentials,
  createPostgresPeer,
  startOpenIdProvider,
  startProduct,
  startSharedPostgres,
  startWebhookReceiver,
} from '@tributary/test-kit'
import { launchChromium } from './browser/chromium.ts'
import { maxShift, readShift } from './browser/layout-shift.ts'
import { startVendors } from './browser/vendors.ts'
import {
  findBrokenWords,
  findClippedText,
  findCutChoices,
  findCutControls,
  findHiddenTabs,
  findHorizontalScroll,
  findOverfullCells,
  findSidewaysTables,
  findSquareCorners,
  findStackedDialogs,
} from './screens/layout-checks.ts'
import { type Screen, screens } from './screens/screens.ts'
import { type Seed, seedWorkspaces } from './screens/seed.ts'

/**
 * Accessibility rules that do not apply to open menus. Menus are not part of the page's regions, and arrow keys scroll
 * their entries.
 */
const inMenus = { region: { enabled: false }, 'scrollable-region-focusable': { enabled: false } }

const widths = [1440, 390] as const
type Theme = 'light' | 'dark'
/**
 * Widths in px to which a page of 1440 px is changed afterwards. A problem at such a width is caused by the width
 * alone.
 */
const resizedWidths = [1920, 768] as const
const words = process.argv.slice(2)
/** Whether a screen was requested by a word of its name. Without words, all screens are. */
const isWanted = ({ name }: Screen): boolean => words.length === 0 || words.some((word) => name.includes(word))

const layoutFaults: readonly (readonly [fault: string, find: (page: Page) => Promise<string[]>])[] = [
  ['scrolls horizontally', findHorizontalScroll],
  ['scrolls sideways', findSidewaysTables],
  ['clipped text', findClippedText],
  ['broken word', findBrokenWords],
  ['text beyond its cell', findOverfullCells],
  ['cut control', findCutControls],
  ['cut choice', findCutChoices],
  ['chosen tab out of view', findHiddenTabs],
  ['square corner', findSquareCorners],
  ['stacked dialogs', findStackedDialogs],
]

let problems = 0
/** Prints a problem immediately, because a run takes long. */
const report = (problem: string): void => {
  problems += 1
  console.log(problem)
}
let taken = 0

const frames = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame++) await new Promise((resolve) => requestAnimationFrame(resolve))
  })

/** Resolves when the content has adapted to the size of the page: charts are as wide as their container. */
const redrawn = async (page: Page): Promise<void> => {
  await frames(page)
  await page.waitForFunction(() =>
    [...document.querySelectorAll('svg[height="100%"]')].every((chart) => {
      const place = chart.parentElement?.getBoundingClientRect().width ?? 0
      return Math.abs(place - Number(chart.getAttribute('width'))) < 1
    }),
  )
  await frames(page)
}

/**
 * Scrolls to the end of the page and back, because charts and editors are only drawn completely after they were
 * visible.
 */
const lookThrough = async (page: Page): Promise<void> => {
  const from = await page.evaluate(() => window.scrollY)
  for (const top of [Number.MAX_SAFE_INTEGER, from]) {
    await page.evaluate((to) => window.scrollTo(0, to), top)
    await frames(page)
  }
}

/** Changes the theme, and resolves when every color has changed. Even a short transition takes a frame. */
const changeTheme = async (page: Page, theme: Theme): Promise<void> => {
  await page.emulateMedia({ colorScheme: theme })
  await frames(page)
  await page.waitForFunction(() => document.getAnimations().every((each) => !(each instanceof CSSTransition)))
  await frames(page)
}

const takePicture = async (page: Page, name: string, screen: Screen): Promise<void> => {
  await page.screenshot({ path: `screenshots/${name}.png`, fullPage: screen.inView !== true })
  taken += 1
}

/** Reports elements that stick out or are cut off. */
const checkLayout = async (page: Page, name: string): Promise<void> => {
  for (const [fault, find] of layoutFaults) for (const found of await find(page)) report(`${name}: ${fault}: ${found}`)
}

/**
 * If there is a bar of unsaved changes, scrolls until it covers nothing, because covered elements cannot be clicked.
 */
const restDraftBar = async (page: Page): Promise<void> => {
  if ((await page.getByRole('region', { name: 'Unsaved changes' }).count()) > 0)
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight))
}

/**
 * Reports the accessibility problems that axe finds. In the dark theme only contrast is checked, because a theme
 * changes only colors.
 */
const checkAccess = async (page: Page, name: string, screen: Screen, theme: Theme): Promise<void> => {
  const axe = new AxeBuilder({ page })
  const { violations } = await (theme === 'dark'
    ? axe.withRules('color-contrast')
    : axe.options({ rules: { 'target-size': { enabled: true }, ...(screen.opensMenu && inMenus) } })
  ).analyze()
  for (const { id, nodes } of violations)
    report(
      `${name}: ${id}: ${nodes
        .map(({ target }) => target.join(' '))
        .slice(0, 3)
        .join(' | ')}`,
    )
}

const shoot = async (
  browser: Browser,
  origin: string,
  screen: Screen,
  seed: Seed,
  width: number,
  session: string | undefined,
): Promise<void> => {
  const context = await browser.newContext({
    baseURL: origin,
    viewport: { width, height: width === 390 ? 844 : 900 },
    colorScheme: 'light',
    reducedMotion: 'reduce',
  })
  if (session !== undefined && !screen.signedOut)
    await context.addInitScript((entries) => {
      for (const [key, value] of Object.entries(JSON.parse(entries) as Record<string, string>))
        if (localStorage.getItem(key) === null) localStorage.setItem(key, value)
    }, session)
  const page: Page = await context.newPage()
  const name = `${screen.name}-${width}`
  const errors: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' && !(screen.expectsFailedCalls && /Failed to load resource/.test(message.text())))
      errors.push(message.text())
  })
  page.on('pageerror', (error) => errors.push(error.message))
  try {
    await screen.prepare?.(page, seed)
    await page.goto(screen.path(seed))
    await screen.ready(page, seed)
    await redrawn(page)
    const { score, moved } = await readShift(page)
    if (score > maxShift) report(`${name}: moves while it loads: ${score.toFixed(2)}: ${moved.slice(0, 3).join(', ')}`)
    // An open menu closes when the page moves.
    if (screen.opensMenu !== true) await lookThrough(page)
    await takePicture(page, `${name}-light`, screen)
    await checkLayout(page, `${name}-light`)
    await changeTheme(page, 'dark')
    await takePicture(page, `${name}-dark`, screen)
    await restDraftBar(page)
    await checkAccess(page, `${name}-dark`, screen, 'dark')
    await changeTheme(page, 'light')
    await checkAccess(page, `${name}-light`, screen, 'light')
    if (width === 1440)
      for (const resized of resizedWidths) {
        await page.setViewportSize({ width: resized, height: 900 })
        await redrawn(page)
        await takePicture(page, `${screen.name}-${resized}-light`, screen)
        await checkLayout(page, `${screen.name}-${resized}-light`)
      }
  } catch (error) {
    report(`${name}: ${String(error instanceof Error ? error.message.split('\n')[0] : error)}`)
    await page.screenshot({ path: `screenshots/${name}-failed.png` }).catch(() => {})
  }
  for (const error of errors) report(`${name}: console: ${error.slice(0, 300)}`)
  await context.close()
}

/** Signs in once, and returns the data that the application stores in the browser. */
const signIn = async (browser: Browser, origin: string, { email, password } = adminCredentials): Promise<string> => {
  const context = await browser.newContext({ baseURL: origin })
  const page = await context.newPage()
  await page.goto('/auth/login')
  await page.getByRole('textbox', { name: 'Email' }).fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((url) => !url.pathname.startsWith('/auth'))
  await page.waitForLoadState('networkidle')
  const stored = await page.evaluate(() => JSON.stringify(Object.fromEntries(Object.entries(localStorage))))
  await context.close()
  return stored
}

if (words.length === 0) rmSync('screenshots', { recursive: true, force: true })
mkdirSync('screenshots', { recursive: true })
await using openId = await startOpenIdProvider()
await using vendors = await startVendors()
await using product = await startProduct({ env: openId.env, command: vendors.command })
await using receiver = await startWebhookReceiver()
await using refusing = await startWebhookReceiver()
await using busy = await startWebhookReceiver()
await using postgres = await startSharedPostgres()
await using peer = await createPostgresPeer(postgres.url)
await product.api.login(adminCredentials)
const browser = await launchChromium()
try {
  const sessionWithoutWorkspace = await signIn(browser, product.url)
  for (const screen of screens.filter((each) => each.before && isWanted(each)))
    for (const width of widths) await shoot(browser, product.url, screen, {} as Seed, width, sessionWithoutWorkspace)
  const seed = await seedWorkspaces(product, receiver, refusing, busy, peer)
  const session = await signIn(browser, product.url)
  const guest = await signIn(browser, product.url, seed.guest)
  for (const screen of screens.filter((each) => !each.before && isWanted(each)))
    for (const width of screen.widths ?? widths)
      await shoot(browser, product.url, screen, seed, width, screen.asGuest === true ? guest : session)
} finally {
  await browser.close()
}
console.log(`${taken} pictures in screenshots/, ${problems} problems`)
process.exitCode = problems === 0 ? 0 : 1
