import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createTestEventStore, startSharedEventStore } from '@tributary/test-kit'
import { type Figure, inTurns, mean, runLoad, spreadOfRatio, startListening, thousands } from '../harness.ts'
import { startBench } from '../product.ts'
import { startSink } from '../sink.ts'

const targetRatio = 0.6
const pairs = 3
const deadlineMs = 600_000

/**
 * A pipeline under load: its port, the number of events that it has stored, and the time of the last store (ms of
 * `performance.now`).
 */
type Pipeline = {
  port: number
  key: string
  stored(): Promise<number>
  lastStored(): Promise<number>
}

/** Starts the handwritten pipeline on its own event store, which has the same memory as the product's. */
const startBaseline = async (): Promise<Pipeline & AsyncDisposable> => {
  const stack = new AsyncDisposableStack()
  try {
    const shared = stack.use(await startSharedEventStore())
    const store = stack.use(await createTestEventStore(shared.url))
    const dir = await mkdtemp(join(tmpdir(), 'tributary-bench-'))
    stack.defer(() => rm(dir, { recursive: true, force: true }))
    const server = await startListening('./baseline-pipeline.ts', [dir, store.url])
    stack.defer(() => server.stop())
    const ask = async (): Promise<{ rows: number; at: number }> =>
      (await fetch(`http://127.0.0.1:${server.port}/stored`)).json() as Promise<{ rows: number; at: number }>
    return {
      port: server.port,
      key: 'baseline',
      stored: async () => (await ask()).rows,
      lastStored: async () => (await ask()).at - performance.timeOrigin,
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

/** Measures events per second from the first request to the last row acknowledged by the event store. */
const measureRound = async (pipeline: Pipeline, run: string, seconds: number): Promise<number> => {
  const before = await pipeline.stored()
  const began = performance.now()
  const load = { port: pipeline.port, key: pipeline.key, connections: 16, eventsPerRequest: 100 }
  const { accepted } = await runLoad({ ...load, run, seconds })
  while ((await pipeline.stored()) - before < accepted) {
    if (performance.now() - began > deadlineMs) throw new Error(`Not all of ${accepted} events were stored in time`)
    // Metrics are updated once a second. Reading them more often would only take processor time from the measured
    // product.
    await pause(250)
  }
  return accepted / (((await pipeline.lastStored()) - began) / 1000)
}

/**
 * Measures events per second from acceptance to a queryable row, averaged over the load and the time to finish it, with
 * one connected webhook that accepts batches. The rate is compared, in alternation, with a handwritten pipeline that
 * has neither steps nor delivery.
 */
export const measureStored = async (seconds: number): Promise<Figure[]> => {
  await using baseline = await startBaseline()
  await using receiver = await startSink()
  const bench = await startBench({ webhook: { url: receiver.url, batching: true, batch_size: 100 } })
  await using _ = bench.product
  const kinds = { baseline, product: bench }
  for (const pipeline of Object.values(kinds)) await measureRound(pipeline, 'warm', 2)
  const rates = await inTurns(pairs, ['baseline', 'product'] as const, async (kind, round) => {
    const rate = await measureRound(kinds[kind], `stored-${round}`, seconds)
    await bench.settle()
    return rate
  })
  const ratio = mean(rates.product) / mean(rates.baseline)
  return [
    {
      figure: 'stored and queryable, load and drain, one webhook',
      target: `>= ${targetRatio} of ${thousands(mean(rates.baseline))}/s`,
      measured: `${thousands(mean(rates.product))}/s (ratio ± ${spreadOfRatio(rates.product, rates.baseline).toFixed(2)})`,
      ratio,
      pass: ratio >= targetRatio,
    },
  ]
}
