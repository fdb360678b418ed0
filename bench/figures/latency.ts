import { createRequire } from 'node:module'
import type pusherModule from 'pusher-js'
import { startArrivals } from '../arrivals.ts'
import { type Figure, percentile, runLoad } from '../harness.ts'
import { preciseTime, stampedTime } from '../load-body.ts'
import { type Bench, startBench } from '../product.ts'

// The main file of the package is CommonJS, but its types describe a module.
const Pusher: typeof pusherModule.default = createRequire(import.meta.url)('pusher-js')

const run = 'latency'
const rate = 500

/** Subscribes to a source's live channel as the browser does and records how long each event was on its way, in ms. */
const watchLive = async (bench: Bench, latencies: number[]): Promise<{ close(): void }> => {
  const { key } = await bench.product.api.ok('GET', '/realtime:config')
  const pusher = new Pusher(String(key), {
    cluster: '',
    wsHost: '127.0.0.1',
    wsPort: bench.port,
    forceTLS: false,
    enabledTransports: ['ws'],
    disableStats: true,
    channelAuthorization: {
      transport: 'ajax',
      endpoint: `${bench.product.url}/pusher/auth`,
      headers: { Authorization: `Bearer ${bench.product.api.token}` },
    },
  })
  const channel = pusher.subscribe(`private-sources-${bench.sourceId}`)
  await new Promise<void>((resolve, reject) => {
    channel.bind('pusher:subscription_succeeded', () => resolve())
    channel.bind('pusher:subscription_error', (error: unknown) =>
      reject(new Error(`The live channel refused: ${JSON.stringify(error)}`)),
    )
  })
  channel.bind('events', (message: { events: { messageId: string }[] }) => {
    const now = preciseTime()
    for (const { messageId } of message.events) {
      const sent = stampedTime(messageId, run)
      if (sent !== undefined) latencies.push(now - sent)
    }
  })
  return { close: () => pusher.disconnect() }
}

const figureOf = (figure: string, latencies: readonly number[], targetMs: number, expected: number): Figure => {
  const p95 = percentile(latencies, 0.95)
  const enough = latencies.length >= expected
  return {
    figure,
    target: `p95 < ${targetMs} ms`,
    measured: `${p95.toFixed(1)} ms of ${latencies.length} events${enough ? '' : ` (too few: ${expected} expected)`}`,
    pass: enough && p95 < targetMs,
  }
}

/**
 * Measures the latency from sending an event to the live table and to a healthy webhook, at 500 single events a second.
 */
export const measureLatency = async (seconds: number): Promise<Figure[]> => {
  const atWebhook: number[] = []
  const atBrowser: number[] = []
  await using receiver = await startArrivals(run, (age) => atWebhook.push(age))
  const bench = await startBench({ webhook: { url: receiver.url } })
  await using _ = bench.product
  const load = { port: bench.port, key: bench.key, connections: 16, eventsPerRequest: 1, rate }
  await runLoad({ ...load, run: 'warm', seconds: 3 })
  await bench.settle()
  const live = await watchLive(bench, atBrowser)
  const report = await runLoad({ ...load, run, seconds })
  await bench.settle()
  live.close()
  return [
    // At this rate, the live channel only shows a sample, because a user could not read more.
    figureOf(`accepted to live table, ${rate}/s`, atBrowser, 500, report.accepted * 0.05),
    figureOf(`accepted to webhook, ${rate}/s`, atWebhook, 1000, report.accepted),
  ]
}
