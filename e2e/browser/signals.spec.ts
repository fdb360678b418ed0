import { createHash } from 'node:crypto'
import { type Page } from '@playwright/test'
import { conversionAction } from '@tributary/connectors/testing/google-ads'
import {
  adminCredentials,
  createSource,
  createWorkspace,
  eventually,
  type Product,
  startProduct,
} from '@tributary/test-kit'
import { signIn } from './people.ts'
import { expect, test } from './product-fixture.ts'
import { startSdkPage } from './sdk-page.ts'
import { makeVendorDestinations, startVendors } from './vendors.ts'

type Browsing = Window & {
  segment: typeof import('@segment/analytics-next').AnalyticsBrowser
  shop: {
    identify: (id: string, traits: object) => Promise<unknown>
    track: (name: string, properties: object, options: object) => Promise<unknown>
  }
  tributary: {
    consent(choice: string): void
    identify(id: string, traits: object): string
    track(name: string, properties: object): string
  }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const email = 'ada@example.com'
const phone = '+12025550123'
const titles = {
  'meta-conversions': 'Meta',
  'tiktok-events': 'TikTok',
  'google-analytics': 'Analytics',
  'google-ads': 'Google Ads',
}
const platforms = Object.values(titles)

/** Opens the site of a shop as a known user who clicked an ad. */
const visit = async (shop: Page, site: { url: string }, product: Product, key: string): Promise<void> => {
  const click = { gclid: 'EAIaIQobChMI-e2e', fbclid: 'IwAR0-e2e', ttclid: 'E.C.P.e2e' }
  const campaign = { utm_source: 'google', utm_medium: 'cpc', utm_campaign: 'spring' }
  await shop.goto(`${site.url}?${new URLSearchParams({ ...click, ...campaign })}`)
  await shop.evaluate(
    async ({ writeKey, origin, traits }) => {
      const browsing = window as unknown as Browsing
      browsing.shop = browsing.segment.load({ writeKey, cdnURL: origin })
      await browsing.shop.identify('user-ada', traits)
    },
    { writeKey: key, origin: product.url, traits: { email, phone } },
  )
}

const buy = (shop: Page, order_id: string): Promise<void> =>
  shop.evaluate(
    async ({ id, traits }) => {
      const browsing = window as unknown as Browsing
      const order = { order_id: id, total: 25.5, currency: 'USD' }
      await browsing.shop.track('Order Completed', order, { context: { traits } })
    },
    { id: order_id, traits: { email, phone } },
  )

/** Opens a page with the website tag from its set-up page, and buys there as another user, who consents. */
const buyWithTag = async (shop: Page, site: { withHead(html: string): string }, snippet: string): Promise<void> => {
  await shop.goto(`${site.withHead(snippet)}&fbclid=IwAR0-tag&utm_source=instagram&utm_campaign=summer`)
  await shop.evaluate(() => {
    const { tributary } = window as unknown as Browsing
    tributary.consent('granted')
    tributary.identify('user-bob', { email: 'bob@example.com' })
    tributary.track('Order Completed', {
      order_id: 'order-4',
      total: 10,
      currency: 'EUR',
      email: 'bob@example.com',
    })
  })
}

/** Creates a signal on the screen from the orders of sources, for all platforms, and checks its preview. */
const makeSignal = async (page: Page, workspace: string, sources: readonly string[]): Promise<void> => {
  await page.goto(`/${workspace}/signals`)
  await page.getByRole('link', { name: 'New signal' }).first().click()
  for (const source of sources) {
    await button(page, 'Add source').click()
    await page.getByRole('option', { name: new RegExp(`^${source}`) }).click()
  }
  for (let step = 0; step < 3; step++) await button(page, 'Continue').click()
  await expect(page.getByLabel('Meta', { exact: true })).toContainText('{ eventID: order_id }')
  await button(page, 'Continue').click()
  for (const title of platforms) await page.getByRole('checkbox', { name: title, exact: true }).check()
  // After a reload, the choices are still there.
  await expect(page.getByText('Draft saved')).toBeVisible()
  await page.reload()
  await expect(page.getByRole('checkbox', { name: 'TikTok' })).toBeChecked()
  await button(page, 'Continue').click()
  const preview = page.getByRole('region', { name: 'Preview' })
  await expect(preview).toContainText('1 conversion')
  await expect(preview.getByRole('listitem', { name: 'Meta' })).toContainText('1 conversion would be sent.')
  await button(page, 'Payload').first().click()
  const payload = page.getByRole('dialog')
  await expect(payload).toContainText('Matched by:')
  for (const clear of [email, phone]) await expect(payload).not.toContainText(clear)
  await button(page, 'Close').last().click()
  await page.getByRole('textbox', { name: 'Title' }).fill('Orders')
  await button(page, 'Create signal').click()
  await expect(page.getByRole('heading', { level: 1, name: 'Orders' })).toBeVisible()
}

test('SIG-01, SIG-03, OPEN-31: a purchase becomes one hashed conversion at Meta, Google Ads, TikTok, and Google Analytics, shown in match quality and attribution', async ({
  chromium,
}) => {
  await using vendors = await startVendors()
  await using product = await startProduct({ command: vendors.command })
  const { api } = product
  await api.login(adminCredentials)
  const { workspace } = await createWorkspace(api, 'Signals')
  const { source, key } = await createSource(api, workspace, 'Shop', 'javascript')
  await makeVendorDestinations(product, workspace, titles)
  await using context = await chromium.newContext({ baseURL: product.url })
  const page = await context.newPage()
  await signIn(page, adminCredentials)
  await using site = await startSdkPage()
  await using browsing = await chromium.newContext()
  const shop = await browsing.newPage()
  await visit(shop, site, product, key)
  await buy(shop, 'order-1')
  await eventually('the first order is stored', async () => {
    const { events } = await api.ok('GET', `/${source}/events`)
    return (events as { title: string }[]).some(({ title }) => title === 'Order Completed')
  })
  const tag = await createSource(api, workspace, 'Tagged pages', 'tag')
  const { guide } = await api.ok('GET', `/${workspace}/catalogSources/tag`)
  const [{ code }] = guide as [{ code: string }]
  await makeSignal(page, workspace, ['Tagged pages', 'Shop'])

  // The same order, sent twice by the browser and once by the server, is one conversion.
  await buy(shop, 'order-2')
  await buy(shop, 'order-2')
  await fetch(`${product.url}/v1/track`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      userId: 'user-ada',
      event: 'Order Completed',
      properties: { order_id: 'order-2', total: 25.5, currency: 'USD' },
    }),
  })
  // A later order is sent after all earlier orders are decided.
  await buy(shop, 'order-3')
  const { meta, tiktok, analytics, ads, bodies } = vendors
  await expect.poll(() => [...meta.counted.keys()].toSorted()).toEqual(['Purchase/order-2', 'Purchase/order-3'])
  await expect.poll(() => [...tiktok.counted.keys()].toSorted()).toEqual(['Purchase/order-2', 'Purchase/order-3'])
  const orders = (): string[] =>
    analytics.counted.flatMap(({ events = [] }) => events.map(({ params }) => String(params?.['transaction_id'])))
  await expect.poll(() => orders().toSorted()).toEqual(['order-2', 'order-3'])
  const imported = ['order-2', 'order-3'].map((id) => `${conversionAction}/${id}`)
  await expect.poll(() => [...ads.counted.keys()].toSorted()).toEqual(imported)
  expect(meta.counted.get('Purchase/order-2')).toMatchObject({
    action_source: 'website',
    user_data: { em: [sha256(email)], ph: [sha256('12025550123')], external_id: [sha256('user-ada')] },
    custom_data: { value: 25.5, currency: 'USD' },
  })
  expect(JSON.stringify(meta.counted.get('Purchase/order-2')?.user_data?.['fbc'])).toContain('IwAR0-e2e')
  expect(tiktok.counted.get('Purchase/order-2')).toMatchObject({
    user: { email: sha256(email), phone: sha256(phone), ttclid: 'E.C.P.e2e' },
    properties: { value: 25.5, currency: 'USD' },
  })
  expect(ads.counted.get(`${conversionAction}/order-2`)).toMatchObject({
    conversionValue: 25.5,
    currency: 'USD',
    adIdentifiers: { gclid: 'EAIaIQobChMI-e2e' },
    userData: { userIdentifiers: [{ emailAddress: sha256(email) }, { phoneNumber: sha256(phone) }] },
  })
  // Each conversion was sent once, and without readable personal data.
  expect(bodies.filter((body) => body.includes('order-2'))).toHaveLength(platforms.length)
  for (const clear of [email, phone]) expect(bodies.join('\n')).not.toContain(clear)

  await buyWithTag(shop, site, code.replaceAll('{{origin}}', product.url).replaceAll('{{writeKey}}', tag.key))
  await expect
    .poll(() => meta.counted.get('Purchase/order-4'))
    .toMatchObject({
      user_data: { em: [sha256('bob@example.com')] },
      custom_data: { value: 10, currency: 'EUR' },
    })
  expect(bodies.join('\n')).not.toContain('bob@example.com')

  const outcomes = page.getByRole('list', { name: 'Outcomes of Meta' })
  await expect(outcomes).toContainText('Delivered3')
  await page.getByRole('tab', { name: 'Match quality' }).click()
  const quality = page.getByRole('region', { name: 'Meta', exact: true })
  await expect(quality.getByRole('list', { name: 'Identifiers' })).toContainText('Email100%')
  await page.getByRole('tab', { name: 'Attribution' }).click()
  await expect(page.getByRole('table', { name: 'Campaigns' })).toContainText('spring')
  await expect(page.getByRole('table', { name: 'Campaigns' })).toContainText('summer')
  await page.getByRole('tab', { name: 'Conversions' }).click()
  await page.getByRole('searchbox', { name: 'Event ID' }).fill('order-2')
  const rows = page.getByRole('table', { name: 'Conversions' }).getByRole('row')
  await expect(rows).toHaveCount(2)
  await rows.last().click()
  const details = page.getByRole('dialog', { name: 'Conversion' })
  await expect(details.getByText('Delivered')).toHaveCount(platforms.length)
  await expect(details).not.toContainText(email)
})
