import { execFile } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { eventually } from '@tributary/test-kit'
import {
  type Figure,
  inTurns,
  mean,
  median,
  metric,
  percentile,
  runLoad,
  spreadOfRatio,
  thousands,
} from '../harness.ts'
import { processorSeconds } from '../processor-time.ts'
import { type Bench, startBench } from '../product.ts'
import { measureComputedTraits } from './computed-traits.ts'
import { measureProfileApi } from './profile-api.ts'

/** While nobody looks at profiles. */
const targetRatio = 0.9
const pairs = 4
const people = 200_000
/** How soon a new person has a profile, while this many events a second come in. */
const freshMs = 5000
const freshRate = 2000
const searchMs = 200
const searches = 200

/** Events a second from the first request to the last row acknowledged by the event store. */
const measureRound = async (bench: Bench, run: string, seconds: number): Promise<number> => {
  const began = performance.now()
  const load = { port: bench.port, key: bench.key, connections: 16, eventsPerRequest: 100, people }
  const { accepted } = await runLoad({ ...load, run, seconds })
  await bench.settle()
  return accepted / (((await bench.lastStored()) - began) / 1000)
}

const found = async ({ product, workspace }: Bench, search: string): Promise<boolean> => {
  const { profiles } = await product.api.ok('GET', `/${workspace}/profiles?search=${search}`)
  return (profiles as unknown[]).length > 0
}

/** From the call of a new person to their profile in the API, beside load of others. */
const measureFreshness = async (bench: Bench, seconds: number): Promise<Figure> => {
  const { port, key, product } = bench
  const waits: number[] = []
  const meet = async (userId: string): Promise<void> => {
    const began = performance.now()
    await fetch(`${product.url}/v1/identify`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
      body: JSON.stringify({ userId, messageId: userId, traits: { plan: 'free' } }),
    })
    while (!(await found(bench, userId))) await pause(50)
    waits.push(performance.now() - began)
  }
  const load = { port, key, connections: 4, eventsPerRequest: 20, rate: freshRate, people, run: 'fresh', seconds }
  const loading = runLoad(load)
  const meetings: Promise<void>[] = []
  for (let n = 0; n < seconds * 4; n++) {
    meetings.push(meet(`newcomer-${n}`))
    await pause(250)
  }
  await Promise.all(meetings)
  const { accepted } = await loading
  const p95 = percentile(waits, 0.95)
  return {
    figure: `from a call to the profile, at ${thousands(freshRate)} events/s`,
    target: `p95 < ${freshMs / 1000} s`,
    measured: `${(p95 / 1000).toFixed(2)} s (median ${(median(waits) / 1000).toFixed(2)} s of ${waits.length}; ${thousands(accepted / seconds)}/s)`,
    pass: p95 < freshMs,
  }
}

const measureSearch = async (bench: Bench): Promise<Figure> => {
  const times: number[] = []
  for (let n = 0; n < searches; n++) {
    const person = String((n * 999_983) % people).padStart(6, '0')
    const began = performance.now()
    if (!(await found(bench, `person-${person}`))) throw new Error(`Nobody is known as person-${person}`)
    times.push(performance.now() - began)
  }
  const p95 = percentile(times, 0.95)
  return {
    figure: 'search of a profile by an identifier',
    target: `p95 < ${searchMs} ms`,
    measured: `${p95.toFixed(0)} ms (median ${median(times).toFixed(0)} ms)`,
    pass: p95 < searchMs,
  }
}

/** The command, beside a product that has nothing else to do. */
const measureRebuild = async ({ product }: Bench): Promise<Figure> => {
  const script = fileURLToPath(new URL('../../scripts/rebuild-profiles.ts', import.meta.url))
  const began = performance.now()
  const { stdout } = await promisify(execFile)(process.execPath, [script], {
    env: { ...process.env, TRIBUTARY_DATA_DIR: product.dataDir },
  })
  const seconds = (performance.now() - began) / 1000
  const entries = Number(/from (\d+) entries/.exec(stdout)?.[1])
  return {
    figure: 'rebuild of all profiles',
    target: 'stated',
    measured: `${thousands(entries / seconds)} entries/s (${thousands(entries)} in ${seconds.toFixed(1)} s)`,
    pass: entries > people,
  }
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
    await measureFreshness(withProfiles, 15),
    await measureProfileApi(withProfiles, people, 6),
    await measureSearch(withProfiles),
    await measureComputedTraits(withProfiles, people, 20),
    await measureRebuild(withProfiles),
  ]
}
