import type { Page } from '@playwright/test'
import { adminCredentials, createSource, createWebhook, createWorkspace, eventually } from '@tributary/test-kit'
import { openGate } from './gate.ts'
import { signIn } from './people.ts'
import { expect, test } from './product-fixture.ts'
import { sendTracks } from './tracking.ts'

type Opened = { path: string; page: Page; errors: string[] }

/** Pattern of the browser's own messages about calls that reach no server. */
const ofNetwork = /Failed to load resource|WebSocket connection to|net::ERR_/

const open = async (page: Page, path: string): Promise<Opened> => {
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(`${path}: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error' && !ofNetwork.test(message.text())) errors.push(`${path}: ${message.text()}`)
  })
  await page.goto(path)
  return { path, page, errors }
}

/** Checks that a page is complete: it has its title, nothing is loading, and nothing has failed. */
const isWhole = async ({ page, path }: Opened): Promise<void> => {
  const main = page.getByRole('main')
  await expect(main.getByRole('heading', { level: 1 }).first(), path).toBeVisible()
  await expect(main.locator('[aria-busy=true]'), path).toHaveCount(0)
  await expect(
    main.getByText(/could not load|could not be loaded|Failed to load|something went wrong/i),
    path,
  ).toHaveCount(0)
}
const isSame = (page: Page): Promise<unknown> => page.evaluate(() => Reflect.get(window, 'notReloaded'))
const banner = (page: Page) => page.getByRole('status').filter({ hasText: "The server can't be reached." })

test('every page keeps its frame through a short and a one-minute outage, shows a message, and recovers without a reload', async ({
  chromium,
  product,
}) => {
  await using gate = await openGate(product.url)
  const { workspace } = await createWorkspace(product.api, 'Outage')
  const { source, key } = await createSource(product.api, workspace, 'Shop')
  const destination = await createWebhook(product.api, workspace, source, { url: 'http://127.0.0.1:9' }, 'Archive')
  expect(await sendTracks(product.url, key, [{ event: 'Ordered', messageId: `outage-${workspace}` }])).toBe(200)
  const event = await eventually('the event is stored', async () => {
    const { events } = (await product.api.ok('GET', `/${workspace}/events`)) as { events: { name: string }[] }
    return events[0]?.name
  })
  // Every page of the router that requires sign-in, and the tabs that send requests of their own.
  const paths = [
    '/',
    '/onboarding',
    ...['', '/sources', '/catalog-sources', '/catalog-sources/http/new', '/events', '/connections'].map(
      (path) => `/${workspace}${path}`,
    ),
    ...['/destinations', '/catalog-destinations', '/catalog-destinations/webhook/new'].map(
      (path) => `/${workspace}${path}`,
    ),
    ...['', '#overview', '#violations', '#setup'].map((tab) => `/${source}${tab}`),
    ...['', '#failures', '#deliveries', '#mappings', '#replay'].map((tab) => `/${destination}${tab}`),
    `/${event}`,
    ...['organization', 'organization/billing', 'organization/members', 'account', 'account/change-password'].map(
      (path) => `/${workspace}/settings/${path}`,
    ),
    ...['act-on-behalf', 'onboarding-link'].map((path) => `/${workspace}/settings/admin/${path}`),
  ]
  await using context = await chromium.newContext({ baseURL: gate.url, reducedMotion: 'reduce' })
  await context.clock.install()
  const first = await context.newPage()
  await signIn(first, adminCredentials)
  await first.close()
  const opened: Opened[] = []
  for (const path of paths) opened.push(await open(await context.newPage(), path))
  await Promise.all(opened.map(isWhole))
  for (const { page } of opened) await page.evaluate(() => Reflect.set(window, 'notReloaded', true))

  for (const seconds of [0, 60]) {
    await gate.shut()
    await Promise.all(opened.map(({ page, path }) => expect(banner(page), path).toBeVisible()))
    // The test does not wait. The clock of the pages is moved forward, so everything that was due runs once.
    await context.clock.fastForward(seconds * 1000)
    for (const { page, path } of opened) {
      await expect(page.getByRole('main').getByRole('heading', { level: 1 }).first(), path).toBeVisible()
      await expect(banner(page), path).toBeVisible()
    }
    await gate.open()
    await Promise.all(opened.map(({ page, path }) => expect(banner(page), path).toHaveCount(0)))
    for (const each of opened) {
      await isWhole(each)
      expect(await isSame(each.page), each.path).toBe(true)
    }
  }
  expect(opened.flatMap(({ errors }) => errors)).toEqual([])
})
