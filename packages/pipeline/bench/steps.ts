/**
 * CPU time of the steps per event (split to row and delivery text, without the engines), for events of about 800 bytes:
 *
 *     node packages/pipeline/bench/steps.ts [events]
 */
import type { LogRecord } from '@tributary/storage'
import { eventSteps } from '../src/pipelines/events.ts'
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

const record = (offset: number, from: number, count: number): LogRecord => ({
  partition: 0,
  offset,
  time: 1763704001000,
  key: 'w-1',
  meta: JSON.stringify({ w: 'w-1', s: 's-1', k: count === 1 ? 'single' : 'batch', r: 1763704001000, ip: '192.0.2.1' }),
  body: Buffer.from(
    count === 1
      ? eventText(from)
      : `{"batch":[${Array.from({ length: count }, (_, i) => eventText(from + i)).join(',')}],"sentAt":"2025-11-21T05:46:41.000Z"}`,
  ),
})

const run = (label: string, perRecord: number, connected: boolean): void => {
  const processor = createProcessor({
    steps: eventSteps(),
    journal: { firstSeen: () => undefined },
    destinationsFor: () => (connected ? ['d-1'] : []),
    isWatched: () => false,
    deliveryRecordBytes: 512 * 1024,
  })
  const records = Array.from({ length: Math.ceil(wanted / perRecord) }, (_, i) => record(i, i * perRecord, perRecord))
  const pass = (): { events: number; bytes: number } => {
    let events = 0
    let bytes = 0
    const take = (): void => {
      events += processor.size().events
      bytes += processor.take().rows.bytes.length
      processor.idsHandedOver()
    }
    for (const one of records) {
      processor.add(one)
      if (processor.size().events >= 1300) take()
    }
    if (processor.size().records > 0) take()
    return { events, bytes }
  }
  pass()
  const before = process.cpuUsage()
  const started = performance.now()
  const { events, bytes } = pass()
  const cpu = process.cpuUsage(before)
  const each = (cpu.user + cpu.system) / events
  const wall = ((performance.now() - started) * 1000) / events
  process.stdout.write(
    `${label.padEnd(44)} ${each.toFixed(2)} µs CPU/event  ${wall.toFixed(2)} µs wall  ${(bytes / events) | 0} B/row  ${Math.round(1e6 / each)} events/s\n`,
  )
}

const parseAlone = (): number => {
  const texts = Array.from({ length: 1000 }, (_, n) => eventText(n))
  const before = process.cpuUsage()
  for (let n = 0; n < wanted; n++) JSON.parse(texts[n % 1000] as string)
  const cpu = process.cpuUsage(before)
  return (cpu.user + cpu.system) / wanted
}

process.stdout.write(`event: ${Buffer.byteLength(eventText(1))} bytes\n`)
parseAlone()
process.stdout.write(`JSON.parse alone, for comparison: ${parseAlone().toFixed(2)} µs CPU/event\n`)
run('batches of 100, one destination', 100, true)
run('batches of 100, no destination', 100, false)
run('single events, one destination', 1, true)
