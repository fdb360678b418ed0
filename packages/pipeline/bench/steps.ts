/**
 * Measures the CPU time of the steps per event (split to row and delivery text, without the engines), for events of
 * about 800 bytes:
 *
 *     node packages/pipeline/bench/steps.ts [events]
 *
 * With `validation` after the number it prints one line of JSON for the figure of the bench: the time with and without
 * a schema. The schema has 50 events with 20 properties each.
 */
import { parseSourceSchema } from '@tributary/contract'
import type { LogRecord } from '@tributary/storage'
import type { SchemaInForce } from '../src/event-types.ts'
import { createProcessor } from '../src/process.ts'

const wanted = Number(process.argv[2] ?? 200_000)

const eventText = (n: number): string =>
  JSON.stringify({
    type: 'track',
    messageId: `node-next-1763704000123-${(1e12 + n).toString(16)}-4f7c-9a54-2b1f6e0d8c33`,
    event: 'Order Completed',
    userId: `user-${n % 5000}`,
    anonymousId: '5a1f2c0e-8d1b-4a53-9c1e-1f0a6b7d2e44',
    timestamp: new Date(1763704000123 + n).toISOString(),
    properties: {
      order_id: `o-${n}`,
      total: 159.9 + (n % 100),
      currency: 'EUR',
      coupon: null,
      products: [
        {
          product_id: 'p-1',
          name: n % 10 === 0 ? 'Running shoes “light”' : 'Running shoes light',
          price: 79.95,
          quantity: 1,
        },
        { product_id: 'p-2', name: 'Socks', price: 9.95, quantity: 3 },
      ],
      shipping: { method: 'express', address: { city: 'Berlin', zip: '10115', country: 'DE' } },
    },
    context: {
      library: { name: '@segment/analytics-node', version: '3.1.0' },
      page: { path: '/checkout/done', url: 'https://shop.example.com/checkout/done', referrer: '' },
      userAgent: 'Mozilla/5.0 (X11; Linux x64)',
    },
    integrations: {},
  })

const record = (offset: number, from: number, count: number, text = (event: string) => event): LogRecord => ({
  partition: 0,
  offset,
  incarnation: '',
  time: 1763704001000,
  key: 'w-1',
  meta: JSON.stringify({ w: 'w-1', s: 's-1', k: count === 1 ? 'single' : 'batch', r: 1763704001000, ip: '192.0.2.1' }),
  body: Buffer.from(
    count === 1
      ? text(eventText(from))
      : `{"batch":[${Array.from({ length: count }, (_, i) => text(eventText(from + i))).join(',')}],"sentAt":"2025-11-21T05:46:41.000Z"}`,
  ),
})

/**
 * A schema of a typical shop: 50 events with 20 properties each, some required, and lists with items. It includes
 * `event`.
 */
const schemaInForce = ((): SchemaInForce => {
  const text = { type: 'string' }
  const number = { type: 'number' }
  const own = {
    order_id: text,
    total: number,
    currency: text,
    coupon: text,
    products: {
      type: 'array',
      items: {
        properties: { product_id: text, name: text, price: number, quantity: number },
        required: ['product_id', 'price'],
      },
    },
    shipping: { type: 'object' },
  }
  const more = Array.from({ length: 14 }, (_, n) => [`property_${n}`, n % 3 === 0 ? number : text] as const)
  const definition = {
    properties: { ...own, ...Object.fromEntries(more) },
    required: ['order_id', 'total', 'currency', 'products'],
    recommended: ['coupon', 'shipping'],
  }
  const events = Array.from({ length: 49 }, (_, n) => [`Event ${n}`, definition] as const)
  const whole = { events: { ...Object.fromEntries(events), 'Order Completed': definition } }
  return { schema: parseSourceSchema(JSON.stringify(whole)), version: 7, enforcement: 'block' }
})()

type Shape = {
  perRecord: number
  connected: boolean
  validated: boolean
  /** Converts the event's text before it is written to the log. */
  text?: (event: string) => string
}
type Cost = { cpu: number; wall: number; rowBytes: number }

/** Prepares a measurement of the steps over `wanted` events. The result measures one pass, in µs per event. */
const prepare = ({ perRecord, connected, validated, text }: Shape): (() => Cost) => {
  const processor = createProcessor({
    journal: { firstSeen: () => undefined },
    destinationsFor: () => (connected ? ['d-1'] : []),
    schemaFor: () => (validated ? schemaInForce : undefined),
    isWatched: () => false,
    deliveryRecordBytes: 512 * 1024,
  })
  const records = Array.from({ length: Math.ceil(wanted / perRecord) }, (_, i) =>
    record(i, i * perRecord, perRecord, text),
  )
  const pass = (): { events: number; bytes: number } => {
    let events = 0
    let bytes = 0
    const take = (): void => {
      events += processor.size().events
      bytes += processor.take().rows.bytes.length
      processor.takeIds()
      processor.idsFlushed()
    }
    for (const one of records) {
      processor.add(one)
      if (processor.size().events >= 1300) take()
    }
    if (processor.size().records > 0) take()
    return { events, bytes }
  }
  pass()
  return () => {
    const before = process.cpuUsage()
    const started = performance.now()
    const { events, bytes } = pass()
    const cpu = process.cpuUsage(before)
    return {
      cpu: (cpu.user + cpu.system) / events,
      wall: ((performance.now() - started) * 1000) / events,
      rowBytes: bytes / events,
    }
  }
}

const run = (label: string, shape: Shape): void => {
  const { cpu, wall, rowBytes } = prepare(shape)()
  process.stdout.write(
    `${label.padEnd(44)} ${cpu.toFixed(2)} µs CPU/event  ${wall.toFixed(2)} µs wall  ${rowBytes | 0} B/row  ${Math.round(1e6 / cpu)} events/s\n`,
  )
}

/**
 * Alternates between both variants, so that changes in the machine's load affect both alike. The minimum of each is the
 * cost of the work itself.
 */
const measureValidation = (rounds: number): { without: number; with: number } => {
  const bare = prepare({ perRecord: 100, connected: true, validated: false })
  const validated = prepare({ perRecord: 100, connected: true, validated: true })
  const costs = Array.from({ length: rounds }, () => [bare().cpu, validated().cpu] as const)
  return { without: Math.min(...costs.map(([cpu]) => cpu)), with: Math.min(...costs.map(([, cpu]) => cpu)) }
}

const parseAlone = (): number => {
  const texts = Array.from({ length: 1000 }, (_, n) => eventText(n))
  const before = process.cpuUsage()
  for (let n = 0; n < wanted; n++) JSON.parse(texts[n % 1000] as string)
  const cpu = process.cpuUsage(before)
  return (cpu.user + cpu.system) / wanted
}

const report = (): void => {
  process.stdout.write(`event: ${Buffer.byteLength(eventText(1))} bytes\n`)
  parseAlone()
  process.stdout.write(`JSON.parse alone, for comparison: ${parseAlone().toFixed(2)} µs CPU/event\n`)
  run('batches of 100, one destination', { perRecord: 100, connected: true, validated: false })
  run('the same, validated by a schema', { perRecord: 100, connected: true, validated: true })
  run('batches of 100, no destination', { perRecord: 100, connected: false, validated: false })
  const decimals = (event: string): string => event.replace(/"quantity":(\d+)/g, '"quantity":$1.0')
  run('numbers such as 1.0, one destination', { perRecord: 100, connected: true, validated: false, text: decimals })
  const spaced = (event: string): string => decimals(event).replace(/[:,](?=["\d{[])/g, '$& ')
  run('the same, with space between tokens', { perRecord: 100, connected: true, validated: false, text: spaced })
  run('single events, one destination', { perRecord: 1, connected: true, validated: false })
}

if (process.argv[3] === 'validation') process.stdout.write(`${JSON.stringify(measureValidation(15))}\n`)
else report()
