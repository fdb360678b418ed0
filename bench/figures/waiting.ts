import { setTimeout as pause } from 'node:timers/promises'
import { createSource, createWebhook, createWorkspace, eventually, startWebhookReceiver } from '@tributary/test-kit'
import { startArrivals } from '../arrivals.ts'
import { type Figure, inTurns, mean, percentile, runLoad, sizeOf } from '../harness.ts'
import { processorSeconds } from '../processor-time.ts'
import { startBench } from '../product.ts'

const events = sizeOf('EVENTS', 100_000)
const pairs = 5
/** Duration of each measurement of processor time and of another tenant's events, in seconds. */
const seconds = 15
/** Events per second of the other tenant. */
const rate = 200
const targets = { core: 0.02, ratio: 1.1 } as const

/**
 * Measures the cost of events that wait for a dead destination: processor time, and the time that another tenant's
 * events take to their webhook. The measurements alternate with the same product without waiting events.
 */
export const measureWaiting = async (): Promise<Figure[]> => {
  await using receiver = await startWebhookReceiver({ keepBodies: false })
  let arrived: number[] = []
  const run = 'other'
  await using webhook = await startArrivals(run, (age) => arrived.push(age))
  const bench = await startBench({
    webhook: { url: receiver.url, batching: true, batch_size: 100, batch_wait_ms: 100 },
  })
  await using product = bench.product
  const { api } = product
  const other = await createSource(api, (await createWorkspace(api, 'Other')).workspace)
  await createWebhook(api, other.source.split('/sources/')[0] ?? '', other.source, { url: webhook.url })
  const { destinations } = (await api.ok('GET', `/${bench.workspace}/destinations`)) as {
    destinations: { name: string }[]
  }
  const destination = destinations[0]?.name ?? ''
  const idle: Record<'waiting' | 'none', number[]> = { waiting: [], none: [] }
  let turn = 0
  let sent = 0
  const load = { port: bench.port, connections: 4, eventsPerRequest: 1, seconds, rate }
  await runLoad({ ...load, key: other.key, run: `${run}.warm` })
  const p95s = await inTurns(pairs, ['waiting', 'none'], async (kind) => {
    receiver.behave({ status: kind === 'waiting' ? 500 : 200 })
    if (kind === 'none') {
      if (sent > 0) await api.ok('POST', `/${destination}:retry`, {})
      await eventually('nothing waits', () => receiver.messageIds().size === sent, 300_000)
    } else {
      const missing = events - (sent - receiver.messageIds().size)
      if (missing > 0)
        sent += (
          await runLoad({
            port: bench.port,
            key: bench.key,
            connections: 4,
            eventsPerRequest: 100,
            events: missing,
            run: `w${turn}`,
          })
        ).accepted
    }
    await bench.settle()
    const before = processorSeconds(product.pid)
    await pause(seconds * 1000)
    idle[kind].push((processorSeconds(product.pid) - before) / seconds)
    arrived = []
    const { accepted } = await runLoad({ ...load, key: other.key, run: `${run}.${turn++}` })
    await eventually('all are at the webhook', () => arrived.length >= accepted, 60_000)
    return percentile(arrived, 0.95)
  })
  const core = mean(idle.waiting) - mean(idle.none)
  const ratio = mean(p95s.waiting) / mean(p95s.none)
  const listed = (times: readonly number[]): string => times.map((time) => time.toFixed(1)).join(', ')
  const percent = (part: number): string => `${(100 * part).toFixed(1)} %`
  return [
    {
      figure: `${events} events that wait for a dead destination, processor time`,
      target: `< ${percent(targets.core)} of a core more than ${percent(mean(idle.none))}`,
      measured: percent(core),
      pass: core < targets.core,
    },
    {
      figure: "same, another tenant's event to the webhook, p95",
      target: `<= ${targets.ratio} of ${mean(p95s.none).toFixed(1)} ms without`,
      measured: `${mean(p95s.waiting).toFixed(1)} ms (${listed(p95s.waiting)} against ${listed(p95s.none)})`,
      ratio,
      pass: ratio <= targets.ratio,
    },
  ]
}
