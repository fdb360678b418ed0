// npm run screenshots: every screen × filled, empty, error × 1440 and 390 px × light and dark, as PNG files in
// `screenshots/`, with assertions: no horizontal scroll, no clipped text, control, or choice, no chosen tab out of view, no
// square corner in a round frame, no dialog above another, no console error, no accessibility violation.
// In the light theme each page is then made 768 and 1920 px wide, without loading it again.
// `npm run screenshots -- sources` takes only the screens whose name contains the word, or one of several.
import { mkdirSync, rmSync } from 'node:fs'
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, Page } from '@playwright/test'
import { adminCredentials, startOpenIdProvider, startProduct, startWebhookReceiver } from '@tributary/test-kit'
import { launchChromium } from './browser/chromium.ts'
import {
  findClippedText,
  findCutChoices,
  findCutControls,
  findHiddenTabs,
  findHorizontalScroll,
  findSidewaysTables,
  findSquareCorners,
  findStackedDialogs,
} from './screens/layout-checks.ts'
import { type Screen, screens } from './screens/screens.ts'
import { type Seed, seedWorkspaces } from './screens/seed.ts'

/** What does not hold of open menus: they are no part of the page's regions, and arrow keys scroll their entries. */
const inMenus = { region: { enabled: false }, 'scrollable-region-focusable': { enabled: false } }

const widths = [1440, 390] as const
const themes = ['light', 'dark'] as const
/** What a page of 1440 px is made afterwards: what breaks there does so by its width alone. */
const resizedWidths = [1920, 768] as const
const words = process.argv.slice(2)
/** Whether a screen was asked for by a word of its name; without words all are. */
const isWanted = ({ name }: Screen): boolean => words.length === 0 || words.some((word) => name.includes(word))

let problems = 0
/** Told at once: a run takes long. */
const report = (problem: string): void => {
  problems += 1
  console.log(problem)
}
let taken = 0

const frames = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame++) await new Promise((resolve) => requestAnimationFrame(resolve))
  })

/** Resolves when what follows the size of the page has followed it: charts are as wide as their place, and drawn so. */
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

/** Takes a picture of the page as it is, and looks for what sticks out or is cut. */
const picture = async (page: Page, name: string, screen: Screen): Promise<void> => {
  await page.screenshot({ path: `screenshots/${name}.png`, fullPage: screen.inView !== true })
  taken += 1
  for (const found of await findHorizontalScroll(page)) report(`${name}: scrolls horizontally: ${found}`)
  for (const found of await findSidewaysTables(page)) report(`${name}: scrolls sideways: ${found}`)
  for (const found of await findClippedText(page)) report(`${name}: clipped text: ${found}`)
  for (const found of await findCutControls(page)) report(`${name}: cut control: ${found}`)
  for (const found of await findCutChoices(page)) report(`${name}: cut choice: ${found}`)
  for (const found of await findHiddenTabs(page)) report(`${name}: chosen tab out of view: ${found}`)
  for (const found of await findSquareCorners(page)) report(`${name}: square corner: ${found}`)
  for (const found of await findStackedDialogs(page)) report(`${name}: stacked dialogs: ${found}`)
}

/** Scrolls to where the bar of unsaved changes lies over nothing, where there is one: what it covers is no target. */
const restDraftBar = async (page: Page): Promise<void> => {
  if ((await page.getByRole('region', { name: 'Unsaved changes' }).count()) > 0)
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight))
}

const shoot = async (
  browser: Browser,
  origin: string,
  screen: Screen,
  seed: Seed,
  width: number,
  theme: 'light' | 'dark',
  session: string | undefined,
): Promise<void> => {
  const context = await browser.newContext({
    baseURL: origin,
    viewport: { width, height: width === 390 ? 844 : 900 },
    colorScheme: theme,
    reducedMotion: 'reduce',
  })
  if (session !== undefined && !screen.signedOut)
    await context.addInitScript((entries) => {
      for (const [key, value] of Object.entries(JSON.parse(entries) as Record<string, string>))
        if (localStorage.getItem(key) === null) localStorage.setItem(key, value)
    }, session)
  const page: Page = await context.newPage()
  const name = `${screen.name}-${width}-${theme}`
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
    await picture(page, name, screen)
    await restDraftBar(page)
    const { violations } = await new AxeBuilder({ page })
      .options({ rules: { 'target-size': { enabled: true }, ...(screen.opensMenu && inMenus) } })
      .analyze()
    for (const violation of violations)
      report(
        `${name}: ${violation.id}: ${violation.nodes
          .map(({ target }) => target.join(' '))
          .slice(0, 3)
          .join(' | ')}`,
      )
    if (width === 1440 && theme === 'light')
      for (const resized of resizedWidths) {
        await page.setViewportSize({ width: resized, height: 900 })
        await redrawn(page)
        await picture(page, `${screen.name}-${resized}-${theme}`, screen)
      }
  } catch (error) {
    report(`${name}: ${String(error instanceof Error ? error.message.split('\n')[0] : error)}`)
    await page.screenshot({ path: `screenshots/${name}-failed.png` }).catch(() => {})
  }
  for (const error of errors) report(`${name}: console: ${error.slice(0, 300)}`)
  await context.close()
}

/** Signs in once and keeps what the application stores in the browser. */
const signIn = async (browser: Browser, origin: string): Promise<string> => {
  const context = await browser.newContext({ baseURL: origin })
  const page = await context.newPage()
  await page.goto('/auth/login')
  await page.getByRole('textbox', { name: 'Email' }).fill(adminCredentials.email)
  await page.getByRole('textbox', { name: 'Password' }).fill(adminCredentials.password)
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
await using product = await startProduct({ env: openId.env })
await using receiver = await startWebhookReceiver()
await using refusing = await startWebhookReceiver()
await using busy = await startWebhookReceiver()
await product.api.login(adminCredentials)
const browser = await launchChromium()
try {
  const sessionWithoutWorkspace = await signIn(browser, product.url)
  for (const screen of screens.filter((each) => each.before && isWanted(each)))
    for (const width of widths)
      for (const theme of themes)
        await shoot(browser, product.url, screen, {} as Seed, width, theme, sessionWithoutWorkspace)
  const seed = await seedWorkspaces(product, receiver, refusing, busy)
  const session = await signIn(browser, product.url)
  for (const screen of screens.filter((each) => !each.before && isWanted(each)))
    for (const width of screen.widths ?? widths)
      for (const theme of themes) await shoot(browser, product.url, screen, seed, width, theme, session)
} finally {
  await browser.close()
}
console.log(`${taken} pictures in screenshots/, ${problems} problems`)
process.exitCode = problems === 0 ? 0 : 1
