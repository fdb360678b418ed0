import type { Page } from '@playwright/test'
import { createSource, createWorkspace, eventually, type Product } from '@tributary/test-kit'
import { expect, test } from './product-fixture.ts'
import { startShopPage } from './shop-page.ts'

type Tag = {
  track(event: string, properties?: object): string
  identify(user: unknown, traits?: object): string
  page(name?: string): string
}
type Shop = Window & { tributary: Tag }
type Stored = { name: string; type: string; title: string; message_id: string; user_id: string; compatibility: string }

/** Creates a source of the tag; the result can read its stored events. */
const startShop = async (product: Product) => {
  const { workspace } = await createWorkspace(product.api, 'Tag limits')
  const { source, key } = await createSource(product.api, workspace, 'Shop', 'tag')
  const stored = async (): Promise<Stored[]> => {
    const { events } = await product.api.ok('GET', `/${source}/events?page_size=200`)
    return events as Stored[]
  }
  /** Waits until all given events are stored, and returns them. */
  const arrived = (ids: readonly string[]): Promise<Stored[]> =>
    eventually(`${ids.length} events`, async () => {
      const events = await stored()
      const known = new Set(events.map(({ message_id }) => message_id))
      return ids.every((id) => known.has(id)) && events
    })
  const payloadOf = async (events: readonly Stored[], id: string): Promise<string> =>
    JSON.stringify(await product.api.ok('GET', `/${events.find(({ message_id }) => message_id === id)?.name}`))
  return { site: await startShopPage(`${product.url}/tag/v1/${key}/tag.js`), arrived, stored, payloadOf }
}

/** Makes calls of the tag, and returns the message IDs of their events. */
const call = (page: Page, calls: readonly (readonly [keyof Tag, ...unknown[]])[]): Promise<string[]> =>
  page.evaluate((given) => {
    const { tributary } = window as unknown as Shop
    return given.map(([name, ...rest]) => (tributary[name] as (...all: unknown[]) => string)(...rest))
  }, calls)

const many = (count: number, text: string) =>
  Array.from({ length: count }, (_, index) => ['track', `Small ${index}`, { text }] as const)

/** Texts of an event that is too large for the requests that a browser still sends after the page has closed. */
const tooLarge = [
  ['ASCII', 'x'.repeat(70_000)],
  ['letters of three bytes', '日'.repeat(24_000)],
  ['pairs of surrogates', '🙂'.repeat(18_000)],
] as const

test('in a real browser, later events are sent after a 70 KB event, after over 64 KiB of events, and despite other scripts', async ({
  chromium,
  product,
}) => {
  const shop = await startShop(product)
  await using site = shop.site
  await using context = await chromium.newContext()
  const page = await context.newPage()
  const bodies: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/v1/b')) bodies.push(request.postData() ?? '')
  })
  await page.goto(site.url)
  await page.waitForFunction(() => 'started' in (window as unknown as Shop).tributary)

  for (const [title, text] of tooLarge) {
    const ids = await call(page, [
      ['track', 'Before', {}],
      ['track', 'Large', { text }],
      ['track', 'Behind', {}],
    ])
    await shop.arrived(ids.filter((_, index) => index !== 1))
    await expect.poll(() => bodies.filter((body) => body.includes(`"${ids[1]}"`)).length, title).toBe(1)
  }

  // Each text has fewer characters than bytes, and all events are sent at once.
  await shop.arrived(await call(page, many(40, '日'.repeat(1200))))

  // A script of the page uses almost all bytes that the browser allows for such requests.
  const isTaken = await page.evaluate((url) => {
    void fetch(url, { method: 'POST', body: 'x'.repeat(60_000), keepalive: true }).catch(() => {})
    return fetch('/', { method: 'POST', body: 'x'.repeat(60_000), keepalive: true }).then(
      () => 'still takes',
      () => 'takes no more',
    )
  }, site.hanging)
  expect(isTaken).toBe('takes no more')
  const behind = await call(page, [
    ['track', 'Behind others', { text: 'x'.repeat(20_000) }],
    ['identify', 55_520, { plan: 'pro' }],
    ['track', 'Identified', {}],
  ])
  const events = await shop.arrived(behind)
  const [, identify, identified] = behind.map((id) => events.find(({ message_id }) => message_id === id))
  expect([identify?.type, identify?.user_id, identified?.user_id]).toEqual(['identify', '55520', '55520'])
  expect(await shop.payloadOf(events, behind[1] ?? '')).toMatch(/"traits":\{[^}]*"plan":"pro"/)
})

test('when a page is left in a real browser, one large event does not prevent the small ones from being sent', async ({
  chromium,
  product,
}) => {
  const shop = await startShop(product)
  await using site = shop.site
  await using context = await chromium.newContext()
  const page = await context.newPage()
  for (const [, text] of tooLarge) {
    await page.goto(site.url)
    await page.waitForFunction(() => 'started' in (window as unknown as Shop).tributary)
    // The calls and the navigation are in one turn, so that no timer of the tag runs between both.
    const ids = await page.evaluate(
      ([large, small, next]) => {
        const { tributary } = window as unknown as Shop
        tributary.track('Large', { text: large })
        const given = Array.from({ length: 12 }, (_, index) => tributary.track(`Left ${index}`, { text: small }))
        location.href = next
        return given
      },
      [text, '日'.repeat(1000), `${site.url}other`] as const,
    )
    await page.waitForURL('**/other')
    await shop.arrived(ids)
  }
})

test('a page that is frozen and restored counts a view, and sends the events that it could not send when left', async ({
  chromium,
  product,
}) => {
  const shop = await startShop(product)
  await using site = shop.site
  await using context = await chromium.newContext()
  const page = await context.newPage()
  await page.goto(site.url)
  await page.waitForFunction(() => 'started' in (window as unknown as Shop).tributary)
  const [view = '', , before = ''] = await call(page, [
    ['page', 'Products'],
    ['identify', 'jane', {}],
    ['track', 'Before'],
  ])
  await shop.arrived([view, before])
  // A browser without a window has no back/forward cache, so the test sends the events that a cached page would get.
  const browser = await context.newCDPSession(page)
  const large = await page.evaluate((text) => {
    const id = (window as unknown as Shop).tributary.track('Large', { text })
    dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))
    return id
  }, 'x'.repeat(66_000))
  await browser.send('Page.setWebLifecycleState', { state: 'frozen' })
  await browser.send('Page.setWebLifecycleState', { state: 'active' })
  const sent = page.waitForRequest((request) => (request.postData() ?? '').includes(large))
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  await sent
  const views = async (): Promise<Stored[]> => (await shop.stored()).filter(({ type }) => type === 'page')
  await expect.poll(async () => (await views()).length).toBe(2)
  expect((await views()).filter(({ message_id }) => message_id !== view)).toMatchObject([{ user_id: 'jane' }])
})
