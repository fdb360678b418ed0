import { createHash } from 'node:crypto'
import {
  adminCredentials,
  createSource,
  createWorkspace,
  eventually,
  startProduct,
  startVendorPeers,
  type VendorAsked,
} from '@tributary/test-kit'
import { expect, test } from 'vitest'
import {
  createMetaConversions,
  token as metaToken,
  pixel,
} from '../../connectors/destinations/meta-conversions/testing-meta-conversions.ts'
import {
  createTikTok,
  pixel as tiktokPixel,
  token as tiktokToken,
} from '../../connectors/destinations/tiktok-events/testing-tiktok.ts'
import { post } from './calls.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const email = 'ada.quux@example.com'
const gclid = 'CjwKCAiAquuxabcdefghijk'

/** Creates a stand-in for Google Analytics, which accepts everything with an empty response. */
const createAnalytics = () => {
  const taken: { name: string; params: Record<string, unknown> }[] = []
  const answer = ({ body }: VendorAsked) => {
    taken.push(...(body as { events: typeof taken }).events)
    return { status: 204 }
  }
  return { taken, answer }
}

test('SIG-01, OPEN-31: an order from browser and server is one hashed conversion per platform, attributed to its click, also after a kill', async () => {
  await using stack = new AsyncDisposableStack()
  const [meta, tiktok, analytics] = [createMetaConversions(), createTikTok(), createAnalytics()]
  const { command } = stack.use(
    await startVendorPeers({
      'graph.facebook.com': meta.answer,
      'business-api.tiktok.com': tiktok.answer,
      'www.google-analytics.com': analytics.answer,
    }),
  )
  let product = await startProduct({ command })
  stack.defer(() => product[Symbol.asyncDispose]())
  const { dataDir } = product
  await product.api.login(adminCredentials)
  const { workspace } = await createWorkspace(product.api)
  const { source, key } = await createSource(product.api, workspace)
  const make = async (app: string, settings: object): Promise<string> =>
    String(
      (
        await product.api.ok('POST', `/${workspace}/destinations`, {
          title: app,
          app: { name: `catalogDestinations/${app}` },
          settings,
        })
      ).name,
    )
  const platforms = [
    await make('meta-conversions', { pixel_id: pixel, access_token: metaToken }),
    await make('tiktok-events', { pixel_code: tiktokPixel, access_token: tiktokToken }),
    await make('google-analytics', { measurement_id: 'G-A1B2C3D4E5', api_secret: 'measurement-secret' }),
  ]
  const signal = await product.api.ok('POST', `/${workspace}/signals`, {
    title: 'Orders',
    enabled: true,
    trigger: { type: 'events', sources: [source], events: [{ event_name: 'Order Completed' }] },
    conversion: { type: 'purchase' },
    value: { type: 'event', amount_path: 'properties.total', currency_path: 'properties.currency' },
    event_id: { type: 'path', path: 'properties.order_id' },
    platforms: platforms.map((destination) => ({ destination })),
  })
  const name = String(signal.name)
  const visit = {
    type: 'page',
    messageId: 'visit',
    anonymousId: 'a-quux',
    context: { page: { url: `https://shop.example/?gclid=${gclid}&utm_source=google` } },
  }
  const order = (messageId: string, order_id: string, more: object = {}) => ({
    type: 'track',
    event: 'Order Completed',
    messageId,
    anonymousId: 'a-quux',
    properties: { order_id, total: 25.5, currency: 'eur' },
    context: { traits: { email }, userAgent: 'Mozilla/5.0 (X11)', ip: '192.0.2.71' },
    ...more,
  })
  const send = async (...batch: object[]) => expect((await post(product, '/v1/batch', key, { batch })).status).toBe(200)
  await send(visit)
  // The order is sent by the browser and by the server.
  await send(order('browser-1', 'order-1'))
  await send(order('server-1', 'order-1', { userId: 'u-quux' }))
  // The test counts distinct transactions, as Analytics does in its reports, because a conversion may be sent again
  // after a kill.
  const transactions = () => new Set(analytics.taken.map(({ params }) => params['transaction_id'])).size
  const counted = () => [meta.counted.size, tiktok.counted.size, transactions()]
  await eventually('each platform has it', () => counted().every((count) => count >= 1), 30_000)
  const [purchase] = [...meta.counted.values()]
  expect(purchase).toMatchObject({
    event_name: 'Purchase',
    event_id: 'order-1',
    custom_data: { value: 25.5, currency: 'EUR' },
    user_data: { em: [sha256(email)] },
  })
  const overviewOf = async () => {
    const now = Math.floor(Date.now() / 1000)
    const query = `start_date.seconds=${now - 3600}&end_date.seconds=${now + 3600}`
    return {
      overview: await product.api.ok('GET', `/${name}:getOverview?${query}`),
      quality: await product.api.ok('GET', `/${name}:getQuality?${query}`),
      attribution: await product.api.ok('GET', `/${workspace}/signals:getAttribution?${query}`),
    }
  }
  await eventually('the second is known', async () => (await overviewOf()).overview.repeated_count === 1)
  expect((await overviewOf()).attribution).toMatchObject({
    rows: [{ clicked_platform: 'google', utm_source: 'google', conversion_count: 1 }],
  })

  await send(...Array.from({ length: 50 }, (_, index) => order(`m-${index}`, `killed-${index}`)))
  await product.kill()
  product = await startProduct({ command, dataDir })
  await product.api.login(adminCredentials)
  await eventually('each platform has all', () => counted().every((count) => count >= 51), 60_000)
  const { overview, quality } = await overviewOf()
  expect(overview).toMatchObject({ conversion_count: 51 })
  expect(counted()).toEqual([51, 51, 51])
  expect(quality).toMatchObject({ platforms: [{ conversion_count: 51 }, {}, {}] })
  await eventually('all is delivered', async () => {
    const { platforms: all } = (await overviewOf()).overview as { platforms: { delivered_count: number }[] }
    return all.every(({ delivered_count: count }) => count === 51)
  })
  // An order without the person's data is sent with the data that only the profile has.
  const person = { email: 'known.quux@example.com', phone: '+49 30 1234567' }
  const began = Date.now()
  await send({ type: 'identify', userId: 'u-known', messageId: 'known-1', traits: person })
  await send(order('known-2', 'order-known', { userId: 'u-known', anonymousId: 'a-known', context: {} }))
  const ofProfile = await eventually('the order of the known person', () =>
    [...meta.counted.values()].find(({ event_id: id }) => id === 'order-known'),
  )
  expect(ofProfile).toMatchObject({ user_data: { em: [sha256(person.email)], ph: [sha256('49301234567')] } })
  // Events wait up to 30 s for profiles. On a quiet machine this takes less than 5 s.
  expect(Date.now() - began).toBeLessThan(15_000)

  // No personal data is readable on pages with conversions, or in the output.
  const shown = JSON.stringify([
    await product.api.ok('GET', `/${name}/conversions`),
    ...(await Promise.all(platforms.map((each) => product.api.ok('GET', `/${each}/deliveries`)))),
  ])
  for (const clear of ['ada.quux', 'known.quux', '192.0.2.71', 'Mozilla/5.0']) {
    expect(shown).not.toContain(clear)
    expect(product.output()).not.toContain(clear)
  }
})
