import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createSource } from '@tributary/test-kit'
import { type Figure, inTurns, mean, runLoad, spreadOfRatio, thousands } from '../harness.ts'
import { processorSeconds } from '../processor-time.ts'
import { startBench } from '../product.ts'
import { startSink } from '../sink.ts'

/**
 * Maximum cost of an event without a destination, relative to the cost of an event for a webhook. It must be clearly
 * lower than 1, because nothing is sent.
 */
const maxShare = 0.9
const pairs = 3

const bytesIn = (folder: string): number =>
  readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)

/**
 * Measures the cost of an event of a source without destinations: the product's processor time, and the bytes in the
 * stream. The cost is compared, in alternation, with a source of the same product whose events go to a webhook that
 * accepts batches.
 */
export const measureUnconnected = async (events: number): Promise<Figure[]> => {
  await using receiver = await startSink()
  const bench = await startBench({ webhook: { url: receiver.url, batching: true, batch_size: 100 } })
  await using _ = bench.product
  const { api, pid, dataDir } = bench.product
  const unconnected = await createSource(api, bench.workspace, 'Unconnected')
  const keys = { webhook: bench.key, none: unconnected.key }
  const rates = { webhook: [] as number[], none: [] as number[] }
  const bytes: number[] = []
  const stream = join(dataDir, 'log', 'deliveries')
  const measure = async (kind: keyof typeof keys, round: number): Promise<number> => {
    const before = { time: processorSeconds(pid), bytes: bytesIn(stream), at: performance.now() }
    const load = { port: bench.port, key: keys[kind], connections: 16, eventsPerRequest: 100 }
    const { accepted } = await runLoad({ ...load, run: `unconnected-${round}`, events })
    await bench.settle()
    rates[kind].push(accepted / (((await bench.lastStored()) - before.at) / 1000))
    if (kind === 'none') bytes.push((bytesIn(stream) - before.bytes) / accepted)
    return ((processorSeconds(pid) - before.time) * 1e6) / accepted
  }
  await measure('none', -1)
  const cost = await inTurns(pairs, ['webhook', 'none'] as const, measure)
  const ratio = mean(cost.none) / mean(cost.webhook)
  const spread = spreadOfRatio(cost.none, cost.webhook).toFixed(2)
  return [
    {
      figure: 'processor time of an event without destinations, stored',
      target: `<= ${maxShare} of ${mean(cost.webhook).toFixed(0)} µs with a webhook (${thousands(mean(rates.webhook))}/s)`,
      measured: `${mean(cost.none).toFixed(0)} µs, ${mean(bytes).toFixed(0)} bytes in the stream (${thousands(mean(rates.none.slice(1)))}/s; ratio ± ${spread})`,
      ratio,
      pass: ratio <= maxShare,
    },
  ]
}
