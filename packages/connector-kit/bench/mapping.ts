/**
 * Processor time of mapping per event, from its text to the text of what is sent, for events of about 800 bytes:
 *
 * node packages/connector-kit/bench/mapping.ts [events]
 *
 * With `json` after the number, prints one line of JSON for the figure of the bench.
 */
import { type EventMapping, eventMappings, type PipelineEvent } from '@tributary/contract'
import type { ActionDefinition, ActionTarget, DestinationDefinition } from '../src/definition/definition.ts'
import { compileMappings } from '../src/mapping/compile.ts'

const wanted = Number(process.argv[2] ?? 50_000)

const eventText = (n: number): string =>
  JSON.stringify({
    eventId: `0-${String(n).padStart(20, '0')}-00000`,
    messageId: `node-next-1763704000123-${(1e12 + n).toString(16)}-4f7c-9a54-2b1f6e0d8c33`,
    type: 'track',
    event: 'Order Completed',
    userId: `user-${n % 5000}`,
    anonymousId: '5a1f2c0e-8d1b-4a53-9c1e-1f0a6b7d2e44',
    properties: {
      order_id: `o-${n}`,
      total: 159.9 + (n % 100),
      currency: 'EUR',
      products: [
        { product_id: 'p-1', name: 'Running shoes light', price: 79.95, quantity: 1 },
        { product_id: 'p-2', name: 'Socks', price: 9.95, quantity: 3 },
      ],
      shipping: { method: 'express', address: { city: 'Berlin', zip: '10115', country: 'DE' } },
    },
    context: {
      ip: '203.0.113.7',
      traits: { email: `user-${n % 5000}@example.com`, firstName: 'Ada', lastName: 'Lovelace' },
      page: { path: '/checkout/done', url: 'https://shop.example.com/checkout/done', referrer: '' },
      userAgent: 'Mozilla/5.0 (X11; Linux x64)',
    },
    test: false,
    receivedAt: '2026-01-02T03:04:06.000Z',
    timestamp: '2026-01-02T03:04:05.678Z',
  })

type Source = { type: 'FIELD' | 'VARIABLE'; name: string } | { type: 'CONSTANT' | 'TEMPLATE'; value: string }
const field = (name: string): Source => ({ type: 'FIELD', name })

/** A mapping like that of an advertising API: 20 fields, nested ones and hashed ones among them. */
const fields: Record<string, [Source, Partial<ActionTarget>?]> = {
  event_name: [{ type: 'VARIABLE', name: 'event_name' }],
  event_id: [{ type: 'VARIABLE', name: 'message_id' }],
  event_time: [{ type: 'VARIABLE', name: 'timestamp_seconds' }, { type: 'number' }],
  'user.em': [field('context.traits.email'), { pii: 'email', required: true }],
  'user.fn': [field('context.traits.firstName'), { pii: 'name' }],
  'user.ln': [field('context.traits.lastName'), { pii: 'name' }],
  'user.ct': [field('properties.shipping.address.city'), { pii: 'text' }],
  'user.zp': [field('properties.shipping.address.zip'), { pii: 'text' }],
  'user.country': [field('properties.shipping.address.country'), { pii: 'text' }],
  'user.external_id': [{ type: 'VARIABLE', name: 'user_key' }, { pii: 'text' }],
  'user.client_ip_address': [field('context.ip')],
  'user.client_user_agent': [field('context.userAgent')],
  event_source_url: [field('context.page.url')],
  'custom_data.value': [field('properties.total'), { type: 'number', required: true }],
  'custom_data.currency': [field('properties.currency')],
  'custom_data.order_id': [field('properties.order_id')],
  'custom_data.contents': [field('properties.products'), { type: 'array' }],
  'custom_data.shipping': [field('properties.shipping.method')],
  'custom_data.coupon': [field('properties.coupon')],
  action_source: [{ type: 'CONSTANT', value: 'website' }],
}

const target = (name: string, more: Partial<ActionTarget> = {}): ActionTarget => ({
  name,
  label: name,
  help: '',
  type: 'string',
  required: false,
  recommended: false,
  kind: 'custom',
  ...more,
})
const action: ActionDefinition = {
  name: 'send',
  title: 'Send',
  description: '',
  customTargets: true,
  wholeEvent: true,
  eventTypes: [],
  targets: Object.entries(fields).map(([name, [, more]]) => target(name, more)),
}
const definition: Pick<DestinationDefinition, 'slug' | 'title' | 'actions' | 'presets'> = {
  slug: 'bench',
  title: 'Bench',
  actions: [action],
  presets: [],
}

const mappingsOf = (sources: Record<string, Source>, more: object = {}): EventMapping[] =>
  eventMappings.parse([
    {
      id: 'aaaa',
      event_name: 'Order Completed',
      destination: 'send',
      ...more,
      field_mappings: Object.entries(sources).map(([name, source], index) => ({
        id: String(index).padStart(4, '0'),
        source,
        target: { name },
      })),
    },
  ])

const twenty = Object.fromEntries(Object.entries(fields).map(([name, [source]]) => [name, source]))
const template = {
  type: 'TEMPLATE',
  value: '{{ event | upcase }} of {{ properties.total | ceil }} {{ properties.currency }}',
} as const
const filters = [{ id: 'c001', field: 'properties.total', operator: 'greater_than', value: '1' }]

const texts = Array.from({ length: 5000 }, (_, n) => eventText(n))

/** Measures the processor time per event in µs. */
const measure = (run: (text: string) => void): number => {
  const pass = (events: number): void => {
    for (let n = 0; n < events; n++) run(texts[n % texts.length] ?? '')
  }
  pass(Math.min(wanted, 10_000))
  const before = process.cpuUsage()
  pass(wanted)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / wanted
}

// The type cast is safe, because the texts are created above.
const parse = (text: string): PipelineEvent => JSON.parse(text) as PipelineEvent

const mapping = (mappings: EventMapping[]): (() => number) => {
  const mapper = compileMappings(definition, mappings, { workspaceId: 'w', destinationId: 'd' })
  return () =>
    measure((text) => {
      const mapped = mapper(parse(text), 's')
      if (mapped.kind !== 'mapped') throw new Error(JSON.stringify(mapped))
      if (mapped.payload !== undefined) JSON.stringify(mapped.payload)
    })
}

const shapes: Record<string, () => number> = {
  'read and written only': () => measure((text) => void JSON.stringify(parse(text))),
  'sent whole for a name and a filter': mapping(mappingsOf({}, { filters })),
  '20 fields, 7 of them hashed': mapping(mappingsOf(twenty, { filters })),
  '20 fields and 3 templates': mapping(
    mappingsOf({ ...twenty, t1: template, t2: template, t3: template }, { filters }),
  ),
}

if (process.argv[3] === 'json') {
  const [alone, , mapped] = Object.values(shapes).map((run) => Math.min(run(), run(), run()))
  process.stdout.write(`${JSON.stringify({ alone, mapped })}\n`)
} else
  for (const [label, run] of Object.entries(shapes)) {
    const cpu = run()
    process.stdout.write(`${label.padEnd(36)} ${cpu.toFixed(2)} µs CPU/event  ${Math.round(1e6 / cpu)} events/s\n`)
  }
