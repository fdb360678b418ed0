import type { Browser } from '@playwright/test'
import { conversionAction } from '@tributary/connectors/testing/google-ads'
import { adminCredentials, createSource, createWorkspace, type Product, startProduct } from '@tributary/test-kit'
import { expect, test } from './product-fixture.ts'
import { startShopPage } from './shop-page.ts'
import { makeVendorDestinations, startVendors } from './vendors.ts'

type Shop = Window & {
  tributary: {
    consent(choice: string): void
    page(name: string): string
    track(event: string, properties: object): string
  }
}

/** A visitor of the shop: the cookies of other vendors' tags, the links that lead to the shop, and what vendors get. */
type Visitor = {
  cookies: Readonly<Record<string, string>>
  /** The query of each visited page; the visitor buys on the last one. */
  pages: readonly string[]
  google: { client: string; session: string; gclid: string }
  meta: { fbp: string; fbc: string | RegExp }
  tiktok: { ttclid: string; ttp: string }
}

const titles = {
  'meta-conversions': 'Meta',
  'tiktok-events': 'TikTok',
  'google-analytics': 'Analytics',
  'google-ads': 'Google Ads',
}

// Google documents no format of `_ga` and `_ga_<stream>`. Their values are from these pages, in order:
// - bbccss.com, "Explanation of cookie values used by GA4" (format GS1).
// - analyticsliv.com and optimizesmart.com (format GS2 of May 2025).
// - newbetuts.com, "What are the values in _ga cookie?" (with a cookie path).
// `_fbp` is the example of Meta's page "fbp and fbc Parameters". Parameter Builder (facebook/capi-param-builder) adds the
// mark. TikTok's tag template reads `_ttp` (gtm-template-eapi, template.js).
const fbclid = 'IwAR2F4-dbP0l7Mn1IawQQGCINEz7PYXQvwjNwB_qa2ofrHyiLjcbCRxTDMgk'
const visitors: Readonly<Record<string, Visitor>> = {
  'a first visit from ads': {
    cookies: {
      _ga: 'GA1.1.1197596843.1673515099',
      _ga_A1B2C3D4E5: 'GS1.1.1673933110.12.0.1673933110.60.0.0',
      _fbp: 'fb.1.1596403881668.1116446470',
      _ttp: '94e2a4j9-h3ss-k2h5-98cc-c84n745mk098',
    },
    pages: [`?gclid=EAIaIQobChMI-first&fbclid=${fbclid}&ttclid=E.C.P.first0123456789`],
    google: { client: '1197596843.1673515099', session: '1673933110', gclid: 'EAIaIQobChMI-first' },
    meta: { fbp: 'fb.1.1596403881668.1116446470', fbc: new RegExp(`^fb\\.1\\.\\d{13}\\.${fbclid}$`) },
    tiktok: { ttclid: 'E.C.P.first0123456789', ttp: '94e2a4j9-h3ss-k2h5-98cc-c84n745mk098' },
  },
  'a purchase on a later page, with cookies of Parameter Builder': {
    cookies: {
      _ga: 'GA1.1.1162820436.1749482504',
      _ga_A1B2C3D4E5: 'GS2.1.s1747323152$o28$g0$t1747323152$j60$l0$h69286059',
      _fbp: 'fb.1.1596403881668.1116446470.AQYBAQEB',
      _fbc: `fb.1.1554763741205.${fbclid}.AQYBAQEB`,
      _ttp: '2qZ7ZrLXzpSyqlRlZ4u7eUcHi5B',
    },
    pages: [`?gclid=CjwKCAjwvO7CBhAqEiwA9q2YJU-later&fbclid=${fbclid}&ttclid=E.C.P.later0123456789`, 'thanks'],
    google: { client: '1162820436.1749482504', session: '1747323152', gclid: 'CjwKCAjwvO7CBhAqEiwA9q2YJU-later' },
    meta: { fbp: 'fb.1.1596403881668.1116446470.AQYBAQEB', fbc: `fb.1.1554763741205.${fbclid}.AQYBAQEB` },
    tiktok: { ttclid: 'E.C.P.later0123456789', ttp: '2qZ7ZrLXzpSyqlRlZ4u7eUcHi5B' },
  },
  'a tag of Google with a cookie path, and two streams of one session': {
    cookies: {
      _ga: 'GA1.2-2.286403989.1366364567',
      _ga_A1B2C3D4E5: 'GS2.1.s1775596132$o16$g0$t1775596132$j60$l0$h0',
      _ga_P0MCK0BGCX: 'GS2.1.s1775596132$o16$g0$t1775596132$j60$l0$h0',
      _fbp: 'fb.1.1747197726331.115911875945980748',
      _ttp: '01K3ABCDEFGHJKMNPQRSTVWXYZ_.tt.1',
    },
    pages: [`shoes?gclid=Cj0KCQjw-stream&ttclid=E.C.P.stream0123456789&fbclid=IwZXh0bgNhZW0`, '?page=2', 'thanks'],
    google: { client: '286403989.1366364567', session: '1775596132', gclid: 'Cj0KCQjw-stream' },
    meta: { fbp: 'fb.1.1747197726331.115911875945980748', fbc: /^fb\.1\.\d{13}\.IwZXh0bgNhZW0$/ },
    tiktok: { ttclid: 'E.C.P.stream0123456789', ttp: '01K3ABCDEFGHJKMNPQRSTVWXYZ_.tt.1' },
  },
}

/** Opens the pages as a visitor, and buys on the last one. Returns the message IDs of its page view and its order. */
const buy = async (
  chromium: Browser,
  site: { url: string },
  { cookies, pages }: Pick<Visitor, 'cookies' | 'pages'>,
  { order, consent }: { order: string; consent: 'granted' | 'denied' },
): Promise<{ view: string; purchase: string }> => {
  await using context = await chromium.newContext()
  const shop = await context.newPage()
  await context.addCookies(Object.entries(cookies).map(([name, value]) => ({ name, value, url: site.url })))
  let ids = { view: '', purchase: '' }
  for (const [index, path] of pages.entries()) {
    await shop.goto(`${site.url}${path}`)
    await shop.waitForFunction(() => 'started' in (window as unknown as Shop).tributary)
    const sent = shop.waitForResponse((response) => response.url().includes('/v1/b?'))
    ids = await shop.evaluate(
      ([choice, id]) => {
        const { tributary } = window as unknown as Shop
        tributary.consent(choice)
        const view = tributary.page('Shop')
        if (id === '') return { view, purchase: '' }
        const properties = { order_id: id, conversion_id: `signal-${id}`, revenue: 25.5, currency: 'EUR' }
        return { view, purchase: tributary.track('Order Completed', properties) }
      },
      [consent, index === pages.length - 1 ? order : ''] as const,
    )
    // The tag has stored the visitor's cookies, and has sent its events.
    await expect
      .poll(async () => (await context.cookies()).some(({ name }) => name === 'trb_aid'))
      .toBe(consent === 'granted')
    await sent
  }
  return ids
}

/** Creates a tagged shop with a connected destination of each vendor, and a signal that sends to all of them. */
const startShop = async (product: Product) => {
  const { api } = product
  await api.login(adminCredentials)
  const { workspace } = await createWorkspace(api, 'Identifiers')
  const { source, key } = await createSource(api, workspace, 'Tagged pages', 'tag')
  const destinations = await makeVendorDestinations(product, workspace, titles)
  for (const destination of destinations) await api.ok('POST', `/${workspace}/connections`, { source, destination })
  await api.ok('POST', `/${workspace}/signals`, {
    title: 'Orders',
    enabled: true,
    trigger: { type: 'events', sources: [source], events: [{ event_name: 'Order Completed' }] },
    conversion: { type: 'purchase' },
    value: { type: 'event', amount_path: 'properties.revenue', currency_path: 'properties.currency' },
    event_id: { type: 'path', path: 'properties.conversion_id' },
    platforms: destinations.map((destination) => ({ destination })),
  })
  return await startShopPage(`${product.url}/tag/v1/${key}/tag.js`)
}

test('from a page with the website tag and consent, presets and signals send the IDs of clicks, browsers, and sessions to each vendor', async ({
  chromium,
}) => {
  await using vendors = await startVendors()
  await using product = await startProduct({ command: vendors.command })
  await using site = await startShop(product)
  const { meta, tiktok, analytics, ads } = vendors
  const denied = {
    cookies: visitors['a first visit from ads']?.cookies ?? {},
    pages: ['?gclid=EAIaIQobChMI-denied&fbclid=IwARdenied&ttclid=E.C.P.denied'],
  }
  const refused = await buy(chromium, site, denied, { order: 'denied', consent: 'denied' })
  const bought: { visitor: Visitor; order: string; view: string; purchase: string }[] = []
  for (const [index, visitor] of Object.values(visitors).entries()) {
    const order = `order-${index}`
    bought.push({ visitor, order, ...(await buy(chromium, site, visitor, { order, consent: 'granted' })) })
  }
  /** The events at Google Analytics, each with the client, the consent, and the session of its request. */
  const ofAnalytics = (name: string, id?: string) =>
    analytics.counted.flatMap(({ client_id: client, consent, events = [] }) =>
      events
        .filter((event) => event.name === name && (id === undefined || event.params?.['transaction_id'] === id))
        .map(({ params }) => ({ client, consent, session: params?.['session_id'] })),
    )

  for (const { visitor, order, view, purchase } of bought) {
    const { google, meta: ofMeta, tiktok: ofTikTok } = visitor
    const signal = `signal-${order}`
    const [fbc] = [ofMeta.fbc].map((text) => (typeof text === 'string' ? text : expect.stringMatching(text)))
    for (const name of [`PageView/${view}`, `Purchase/${purchase}`, `Purchase/${signal}`])
      await expect
        .poll(() => meta.counted.get(name)?.user_data, { message: `Meta: ${name}` })
        .toMatchObject({ fbp: ofMeta.fbp, fbc })
    for (const name of [`Pageview/${view}`, `Purchase/${purchase}`, `Purchase/${signal}`])
      await expect.poll(() => tiktok.counted.get(name)?.user, { message: `TikTok: ${name}` }).toMatchObject(ofTikTok)
    for (const id of [order, signal]) {
      await expect
        .poll(() => ofAnalytics('purchase', id), { message: `Analytics: ${id}` })
        .toMatchObject([{ client: google.client, session: google.session }])
      await expect
        .poll(() => ads.counted.get(`${conversionAction}/${id}`)?.adIdentifiers, { message: `Google Ads: ${id}` })
        .toMatchObject({ gclid: google.gclid })
    }
    await expect
      .poll(() => ofAnalytics('page_view').filter(({ client }) => client === google.client).length)
      .toBe(visitor.pages.length)
  }

  // Without consent, only Google Analytics has the order, with that consent and without the IDs of cookies and clicks.
  await expect.poll(() => ofAnalytics('purchase', 'denied')).toHaveLength(1)
  expect(ofAnalytics('purchase', 'denied')[0]?.consent).toMatchObject({ ad_user_data: 'DENIED' })
  const ofRefused = analytics.counted.filter(({ consent }) => consent?.['ad_user_data'] === 'DENIED')
  for (const id of [
    ...Object.values(denied.cookies),
    '1197596843.1673515099',
    '1673933110',
    'EAIaIQobChMI-denied',
    'IwARdenied',
  ])
    expect(JSON.stringify(ofRefused)).not.toContain(id)
  const others = JSON.stringify([...meta.counted, ...tiktok.counted, ...ads.counted])
  for (const id of [refused.view, refused.purchase, 'signal-denied']) expect(others).not.toContain(id)
})
