import { adminCredentials, createSource, createWebhook, createWorkspace } from '@tributary/test-kit'
import { findHorizontalScroll } from '../screens/layout-checks.ts'
import { fillSignIn, signIn } from './people.ts'
import { expect, test } from './product-fixture.ts'

const names = [
  'Kassensystem-der-Filiale-am-Donaudampfschifffahrtsgesellschaftsplatz-mit-sehr-vielen-Zeichen-im-Namen-',
  'Shop 👩‍👩‍👧‍👦 🇫🇷 🛒',
  'متجر الإلكترونيات القديم',
  '<script>window.ran = true</script><img src=x onerror="window.ran = true">',
]

test('long, emoji, right-to-left, and markup names are shown as they are and break no page at any width', async ({
  signedIn: page,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, names[3])
  const sources: string[] = []
  for (const name of names) sources.push((await createSource(product.api, workspace, name)).source)
  const destination = await createWebhook(
    product.api,
    workspace,
    sources[0] ?? '',
    { url: 'http://127.0.0.1:9' },
    names[0],
  )
  const pages = [
    `/${workspace}`,
    `/${workspace}/sources`,
    `/${workspace}/destinations`,
    `/${workspace}/connections`,
    ...sources.map((source) => `/${source}#settings`),
    `/${destination}#connections`,
  ]
  // 720 px is the width of a page of 1440 px at a zoom of 200 %.
  for (const width of [1440, 720, 390]) {
    await page.setViewportSize({ width, height: width === 390 ? 844 : 450 })
    for (const path of pages) {
      await page.goto(path)
      await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible()
      await expect(page.getByRole('main').locator('[aria-busy=true]')).toHaveCount(0)
      expect(await findHorizontalScroll(page), `${path} at ${width}`).toEqual([])
    }
  }
  await page.goto(`/${workspace}/sources`)
  for (const name of names) await expect(page.getByRole('link', { name, exact: true })).toBeVisible()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('<script>')
  await expect(page.getByRole('option').first()).toContainText('<script>window.ran')
  expect(await page.evaluate(() => Reflect.get(window, 'ran'))).toBeUndefined()
})

test('a browser without storage can sign in, and works until the page is closed', async ({ chromium, product }) => {
  const { workspace } = await createWorkspace(product.api, 'Without storage')
  await using context = await chromium.newContext({ baseURL: product.url, reducedMotion: 'reduce' })
  await context.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, name, {
        configurable: true,
        get: () => {
          throw new DOMException('Access is denied for this document.', 'SecurityError')
        },
      })
  })
  const page = await context.newPage()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  // The page requires signing in, so that the test covers the way back to the page.
  await page.goto(`/${workspace}/sources`)
  await fillSignIn(page, adminCredentials)
  await expect(page.getByText('Add your first source')).toBeVisible()
  await page.getByRole('button', { name: 'Collapse sidebar' }).click()
  await expect(page.getByRole('button', { name: 'Expand sidebar' })).toBeVisible()
  expect(errors).toEqual([])
})

test('for a user who prefers less motion, opened elements appear immediately', async ({ signedIn: page, product }) => {
  const { workspace } = await createWorkspace(product.api, 'Less motion')
  await page.goto(`/${workspace}`)
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  const longest = (): Promise<number> =>
    page.evaluate(() =>
      Math.max(
        0,
        ...[...document.querySelectorAll('*')].flatMap((element) => {
          const { transitionDuration, animationDuration } = getComputedStyle(element)
          return `${transitionDuration}, ${animationDuration}`.split(', ').map((text) => Number.parseFloat(text))
        }),
      ),
    )
  for (const open of ['User menu', 'Search or run a command'] as const) {
    await page.getByRole('button', { name: open }).click()
    await expect(page.getByRole(open === 'User menu' ? 'menu' : 'dialog')).toBeVisible()
    expect(await longest(), open).toBeLessThan(0.001)
    await page.keyboard.press('Escape')
  }
})

test('on a slow connection, a page shows that it is loading, and then its full content', async ({
  chromium,
  product,
}) => {
  const { workspace } = await createWorkspace(product.api, 'Slow')
  await createSource(product.api, workspace, 'Shop')
  await using context = await chromium.newContext({ baseURL: product.url, reducedMotion: 'reduce' })
  const page = await context.newPage()
  await signIn(page, adminCredentials)
  const devtools = await context.newCDPSession(page)
  // Slow 3G with the values of the browser's own tools, in bytes per second.
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 400,
    downloadThroughput: 50_000,
    uploadThroughput: 50_000,
  })
  await page.goto(`/${workspace}/sources`, { waitUntil: 'commit' })
  await expect(page.getByText('Loading').or(page.locator('[aria-busy=true]')).first()).toBeAttached()
  await expect(page.getByRole('link', { name: 'Shop' })).toBeVisible({ timeout: 60_000 })
  await expect(page.getByText("The server can't be reached.")).toHaveCount(0)
})
