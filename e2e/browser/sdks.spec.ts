import { createSource, createWebhook, createWorkspace, eventually } from '@tributary/test-kit'
import { expect, test } from './product-fixture.ts'
import { startSdkPage } from './sdk-page.ts'

type Sdk = { name: string; start: (input: { key: string; origin: string }) => Promise<void>; calls: number }

// These functions run in the page; they use the SDKs exactly as their documentation says.
const sdks: Sdk[] = [
  {
    name: '@segment/analytics-next',
    calls: 5,
    start: async ({ key, origin }) => {
      const { segment } = window as unknown as { segment: typeof import('@segment/analytics-next').AnalyticsBrowser }
      const analytics = segment.load({ writeKey: key, cdnURL: origin })
      await analytics.page('Home')
      await analytics.identify('u1', { plan: 'team' })
      await analytics.track('Order Completed', { total: 42.5 })
      await analytics.group('g1', { name: 'Acme' })
      await analytics.alias('u1-new')
    },
  },
  {
    name: '@rudderstack/analytics-js/bundled',
    calls: 5,
    start: async ({ key, origin }) => {
      const { rudder } = window as unknown as {
        rudder: typeof import('@rudderstack/analytics-js/bundled').RudderAnalytics
      }
      const analytics = new rudder()
      analytics.load(key, origin, { configUrl: origin })
      await new Promise<void>((resolve) => analytics.ready(() => resolve()))
      analytics.page('Home')
      analytics.identify('u2', { plan: 'free' })
      analytics.track('Signed Up', { from: 'ad' })
      analytics.group('g2', { name: 'Beta' })
      analytics.alias('u2-new')
    },
  },
]

for (const { name, start, calls } of sdks)
  test(`${name}, unmodified, sends each event once to the live table and to the webhook`, async ({
    signedIn,
    chromium,
    product,
    receiver,
  }) => {
    const { workspace } = await createWorkspace(product.api, `Browser ${name}`.slice(0, 30))
    const { source, sourceId, key } = await createSource(product.api, workspace, 'Website', 'javascript')
    await createWebhook(product.api, workspace, source, { url: receiver.url })
    await signedIn.goto(`/${workspace}/sources/${sourceId}`)
    await expect(signedIn.getByText('No events received yet. Waiting for data...')).toBeVisible()

    await using site = await startSdkPage()
    const context = await chromium.newContext()
    const page = await context.newPage()
    await page.goto(site.url)
    await page.evaluate(start, { key, origin: product.url })

    const stored = await eventually('stored', async () => {
      const { events } = await product.api.ok('GET', `/${source}/events`)
      const ids = (events as { message_id: string }[]).map(({ message_id }) => message_id)
      return ids.length >= calls && ids
    })
    expect(new Set(stored).size).toBe(calls)
    expect(stored).toHaveLength(calls)
    await eventually('delivered', () => stored.every((id) => receiver.messageIds().has(id)))
    expect(stored.map((id) => receiver.messageIds().get(id))).toEqual(stored.map(() => 1))
    await expect(signedIn.getByRole('table').getByRole('row')).toHaveCount(calls + 1)
    await context.close()
  })

test('the snippet with the self-hosted analytics.min.js works from an http address', async ({ chromium, product }) => {
  const { workspace } = await createWorkspace(product.api, 'Snippet')
  const { source, key } = await createSource(product.api, workspace, 'Website', 'javascript')
  await using site = await startSdkPage()
  const context = await chromium.newContext()
  const page = await context.newPage()
  await page.goto(site.withHead(`<script src="${product.url}/analytics.js/v1/${key}/analytics.min.js"></script>`))
  await page.waitForFunction(() => 'analytics' in window)
  await page.evaluate(() =>
    (window as unknown as { analytics: { track(name: string): void } }).analytics.track('From Snippet'),
  )
  await eventually('stored', async () => {
    const { events } = await product.api.ok('GET', `/${source}/events`)
    return (events as { title: string }[]).some(({ title }) => title === 'From Snippet')
  })
  await context.close()
})
