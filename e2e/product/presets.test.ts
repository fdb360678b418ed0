import {
  adminCredentials,
  createDestination,
  createSource,
  createWorkspace,
  eventually,
  startProduct,
  startVendorPeers,
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

// The context is that of the website tag, see docs/tag.md and apps/web/src/tag/tag.test.ts.
const fbc = 'fb.1.1554763741205.IwAR2F4-dbP0l7Mn1IawQQGCINEz7PYXQvwjNwB_qa2ofrHyiLjcbCRxTDMgk'
const fbp = 'fb.1.1558571054389.1098115397'
const context = {
  page: { url: 'https://shop.example/thanks', referrer: 'https://shop.example/' },
  userAgent: 'Mozilla/5.0 (X11)',
  clickIds: { fbclid: 'IwAR2F4', ttclid: 'E.C.P.click0123456789' },
  browserIds: { fbp, fbc, ttp: '01ABC', ga: '1234.5678' },
  consent: { categoryPreferences: { advertising: true } },
  library: { name: 'tributary-tag' },
}

test('the presets of Meta and TikTok send the IDs of the website tag, like a signal', async () => {
  const [meta, tiktok] = [createMetaConversions(), createTikTok()]
  await using peers = await startVendorPeers({
    'graph.facebook.com': meta.answer,
    'business-api.tiktok.com': tiktok.answer,
  })
  await using product = await startProduct({ command: peers.command })
  const { api } = product
  await api.login(adminCredentials)
  const { workspace } = await createWorkspace(api)
  const { source, key } = await createSource(api, workspace, 'Tagged pages', 'tag')
  const made = [
    { app: 'meta-conversions', settings: { pixel_id: pixel, access_token: metaToken } },
    { app: 'tiktok-events', settings: { pixel_code: tiktokPixel, access_token: tiktokToken } },
  ]
  const destinations: string[] = []
  for (const each of made) destinations.push(await createDestination(api, workspace, source, each))
  await api.ok('POST', `/${workspace}/signals`, {
    title: 'Orders',
    enabled: true,
    trigger: { type: 'events', sources: [source], events: [{ event_name: 'Order Completed' }] },
    conversion: { type: 'purchase' },
    value: { type: 'event', amount_path: 'properties.revenue', currency_path: 'properties.currency' },
    event_id: { type: 'path', path: 'properties.order_id' },
    platforms: destinations.map((destination) => ({ destination })),
  })
  const sent = { anonymousId: 'device-1', context }
  const batch = [
    { ...sent, type: 'page', messageId: 'page-1', name: 'Thanks' },
    {
      ...sent,
      type: 'track',
      event: 'Order Completed',
      messageId: 'message-1',
      properties: { order_id: 'order-1', revenue: 25.5, currency: 'EUR' },
    },
  ]
  expect((await post(product, '/v1/batch', key, { batch })).status).toBe(200)
  const names = ['PageView/page-1', 'Purchase/message-1', 'Purchase/order-1']
  await eventually(
    'Meta has the page and both conversions',
    () => names.every((name) => meta.counted.has(name)),
    30_000,
  )
  for (const name of names)
    expect(meta.counted.get(name)).toMatchObject({
      event_source_url: 'https://shop.example/thanks',
      user_data: { fbc, fbp, client_user_agent: 'Mozilla/5.0 (X11)' },
    })
  const tiktokNames = ['Pageview/page-1', 'Purchase/message-1', 'Purchase/order-1']
  await eventually('TikTok has them, too', () => tiktokNames.every((name) => tiktok.counted.has(name)), 30_000)
  for (const name of tiktokNames)
    expect(tiktok.counted.get(name)).toMatchObject({ user: { ttclid: 'E.C.P.click0123456789', ttp: '01ABC' } })
})
