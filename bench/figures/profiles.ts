import { eventually } from '@tributary/test-kit'
import { type Figure, inTurns, mean, metric, runLoad, spreadOfRatio, thousands } from '../harness.ts'
import { processorSeconds } from '../processor-time.ts'
import { type Bench, startBench } from '../product.ts'

const targetRatio = 0.85
const pairs = 3
const people = 200_000

/** Events a second from the first request to the last row acknowledged by the event store. */
const measureRound = async (bench: Bench, run: string, seconds: number): Promise<number> => {
  const began = performance.now()
  const load = { port: bench.port, key: bench.key, connections: 16, eventsPerRequest: 100, people }
  const { accepted } = await runLoad({ ...load, run, seconds })
  await bench.settle()
  return accepted / (((await bench.lastStored()) - began) / 1000)
}

/**
 * Stored events a second of 200,000 people, a twelfth of them identify calls, with the role of profiles and without it, in
 * turns. Profiles may be behind when a round ends: the next one waits until they are not.
 */
export const measureProfiles = async (seconds: number): Promise<Figure[]> => {
  const withProfiles = await startBench({})
  await using _ = withProfiles.product
  const without = await startBench({ env: { TRIBUTARY_ROLES: 'api,collect,realtime,pipeline,delivery,jobs' } })
  await using __ = without.product
  const kinds = { without, with: withProfiles }
  /** Milliseconds that profiles needed after the last event was stored. */
  const behind: number[] = []
  /** Processor time of the product an event, µs, until profiles have it, too. */
  const cost = { without: [] as number[], with: [] as number[] }
  const measure = async (kind: keyof typeof kinds, round: string): Promise<number> => {
    const bench = kinds[kind]
    const [before, time] = [await bench.stored(), processorSeconds(bench.product.pid)]
    const rate = await measureRound(bench, `profiles-${round}`, seconds)
    const stored = await bench.stored()
    const spent = (): void =>
      void cost[kind].push(((processorSeconds(bench.product.pid) - time) * 1e6) / (stored - before))
    if (kind === 'without') {
      spent()
      return rate
    }
    const handled = (): Promise<number> => metric(bench.product.url, 'tributary_profile_events_total')
    await eventually('profiles of all events', async () => (await handled()) >= stored, 300_000)
    behind.push(performance.now() - (await bench.lastStored()))
    spent()
    return rate
  }
  // Everybody is seen once before, since new people cost several times as much.
  for (const kind of ['without', 'with'] as const) {
    const { port, key } = kinds[kind]
    await runLoad({ port, key, connections: 16, eventsPerRequest: 100, people, run: 'first', events: people })
    await measure(kind, 'warm')
  }
  const rates = await inTurns(pairs, ['without', 'with'] as const, (kind, round) => measure(kind, String(round)))
  const ratio = mean(rates.with) / mean(rates.without)
  return [
    {
      figure: 'stored with profiles of 200,000 people',
      target: `>= ${targetRatio} of ${thousands(mean(rates.without))}/s without`,
      measured: `${thousands(mean(rates.with))}/s (ratio ± ${spreadOfRatio(rates.with, rates.without).toFixed(2)}; profiles ready ${(mean(behind.slice(1)) / 1000).toFixed(1)} s later; ${mean(cost.with.slice(1)).toFixed(0)} µs of processor time an event, ${mean(cost.without.slice(1)).toFixed(0)} without)`,
      ratio,
      pass: ratio >= targetRatio,
    },
  ]
}
