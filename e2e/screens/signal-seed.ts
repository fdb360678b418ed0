import { createSource, createWorkspace, eventually, type Product } from '@tributary/test-kit'
import { makeVendorDestinations } from '../browser/vendors.ts'

/** Objects for the screenshots of signals. */
export type SignalSeed = {
  workspace: string
  /** A signal with conversions, some of which were not sent. */
  signal: string
  /** A disabled signal without conversions. */
  quiet: string
}

const titles = {
  'meta-conversions': 'Meta pixel of the shop',
  'tiktok-events': 'TikTok',
  'google-analytics': 'Analytics of the shop',
  'google-ads': 'Google Ads of the shop',
}

const consent = (advertising: boolean) => ({ consent: { categoryPreferences: { advertising } } })

/** Returns orders of people with more or fewer identifiers, over the last days, with and without clicks. */
const orders = (): object[] =>
  Array.from({ length: 60 }, (_, index) => ({
    type: 'track',
    event: 'Order Completed',
    messageId: `seed-order-${index}`,
    userId: `customer-${index % 25}`,
    anonymousId: `browser-${index % 30}`,
    timestamp: new Date(Date.now() - (index % 9) * 86_400_000 - 60_000).toISOString(),
    properties: {
      order_id: `order-${1000 + index}`,
      total: index % 17 === 0 ? '12,50' : 20 + index,
      currency: index % 13 === 0 ? 'EUR' : 'USD',
    },
    context: {
      ip: '203.0.113.7',
      userAgent: 'Mozilla/5.0 (Macintosh) Safari/605.1',
      ...(index % 3 === 0 ? { traits: { email: `customer-${index % 25}@example.com` } } : {}),
      page: {
        url: `https://shop.example/thanks${index % 4 === 0 ? `?gclid=EAIaIQob${index}&utm_source=google&utm_medium=cpc&utm_campaign=spring` : index % 4 === 1 ? `?fbclid=IwAR0click${index}&utm_source=instagram&utm_medium=paid&utm_campaign=summer-sale-of-all-shoes` : ''}`,
      },
      ...(index % 10 === 9 ? consent(false) : index % 2 === 0 ? consent(true) : {}),
    },
  }))

/** Creates a workspace with two signals, one of which has conversions. */
export const seedSignals = async ({ api, url }: Product): Promise<SignalSeed> => {
  const { workspace } = await createWorkspace(api, 'Contoso Shop')
  const { source, key } = await createSource(api, workspace, 'Online shop')
  const { source: other } = await createSource(api, workspace, 'Point of sale')
  const destinations = await makeVendorDestinations({ api, url }, workspace, titles)
  const definition = {
    trigger: { type: 'events', sources: [source], events: [{ event_type: 'track', event_name: 'Order Completed' }] },
    conversion: { type: 'purchase', custom_name: '' },
    value: { type: 'event', amount_path: 'properties.total', currency_path: 'properties.currency', currency: 'USD' },
    event_id: { type: 'path', path: 'properties.order_id' },
    platforms: destinations.map((destination, place) => ({
      destination,
      ...(place === 1 ? { test_event_code: 'TEST12345' } : {}),
    })),
  }
  const make = async (title: string, more: object): Promise<string> =>
    String((await api.ok('POST', `/${workspace}/signals`, { title, ...definition, ...more })).name)
  const quiet = await make('Qualified leads', {
    conversion: { type: 'lead', custom_name: '' },
    trigger: {
      type: 'events',
      sources: [source, other],
      events: [{ event_type: 'track', event_name: 'Lead Created' }],
      filters: [{ id: 'aB12', field: 'properties.score', operator: 'greater_than', value: '70' }],
    },
    value: { type: 'fixed', amount: 25, currency: 'USD' },
    event_id: { type: 'message_id' },
    platforms: definition.platforms.slice(0, 1),
  })
  const signal = await make('Orders of the shop', { enabled: true })
  const batch = orders()
  await fetch(`${url}/v1/batch`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      batch: [...batch, ...batch.slice(0, 4).map((order, index) => ({ ...order, messageId: `again-${index}` }))],
    }),
  })
  await eventually(
    'conversions are made and counted',
    async () => {
      const { recent_counts: counts } = await api.ok('GET', `/${signal}`)
      return (counts as number[]).reduce((sum, each) => sum + each, 0) >= 40
    },
    60_000,
  )
  return { workspace, signal, quiet }
}
