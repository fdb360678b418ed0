import { execFile } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import {
  childOf,
  type Figure,
  forgetPeak,
  inTurns,
  mean,
  median,
  peakResidentBytes,
  percentile,
  printFigures,
  runLoad,
  sizeOf,
  spreadOfRatio,
  thousands,
} from '../harness.ts'
import { personDigits } from '../load-body.ts'
import { processorSeconds } from '../processor-time.ts'
import { type Bench, profilesKnow } from '../product.ts'
import { createProfilesWorld, type ProfilesWorld } from '../profiles-world.ts'
import { measureComputedTraits } from './computed-traits.ts'
import { measureProfileApi } from './profile-api.ts'

const events = sizeOf('EVENTS', 5_000_000)
const people = sizeOf('PEOPLE', 200_000)
/**
 * Minimum rates relative to the rate without profiles: while profiles are not read (`with`), and while they are read
 * (`looked`).
 */
const targetRatios = { with: 0.9, looked: 0.85 } as const
const pairs = 3
/** Number of events of a round. They are stored in about five seconds, and profiles read them in another five. */
const turnEvents = 150_000
/** Interval between two reads of a profile, in ms. */
const lookEveryMs = 100
const MiB = 1024 * 1024
const limitsMiB = { server: 600, eventStore: 2048 } as const
/** Maximum time in ms until a new user has a profile. */
const freshMs = 5000
const freshRate = 2000
const searchMs = 200
const searches = 200

/** Opens the page of one profile after the other, with its events, until the signal aborts. */
const lookAround = async ({ product, workspace }: Bench, enough: AbortSignal): Promise<void> => {
  for (let n = 0; !enough.aborted; n++) {
    const { profiles } = await product.api.ok('GET', `/${workspace}/profiles?search=${personOf(n)}`)
    const [first] = profiles as { name: string }[]
    if (first !== undefined) for (const part of ['', '/events']) await product.api.ok('GET', `/${first.name}${part}`)
    await pause(lookEveryMs)
  }
}

/** Measures events per second from the first request to the last row acknowledged by the event store. */
const measureRound = async (bench: Bench, run: string): Promise<number> => {
  const began = performance.now()
  const load = { port: bench.port, key: bench.key, connections: 16, eventsPerRequest: 100, people }
  const { accepted } = await runLoad({ ...load, run, events: turnEvents })
  await bench.settle()
  return accepted / (((await bench.lastStored()) - began) / 1000)
}

const personOf = (n: number): string => `person-${String((n * 999_983) % people).padStart(personDigits, '0')}`

const found = async ({ product, workspace }: Bench, search: string): Promise<boolean> => {
  const { profiles } = await product.api.ok('GET', `/${workspace}/profiles?search=${search}`)
  return (profiles as unknown[]).length > 0
}

/** Measures the time from the call of a new user to the profile in the API, during a load of other users. */
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
    const began = performance.now()
    if (!(await found(bench, personOf(n)))) throw new Error(`Nobody is known as ${personOf(n)}`)
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

/** Measures the command that rebuilds profiles, while the product is idle. */
const measureRebuild = async ({ product }: Bench): Promise<Figure> => {
  const script = fileURLToPath(new URL('../../scripts/rebuild-profiles.ts', import.meta.url))
  const began = performance.now()
  // The product must not get the settings of this benchmark.
  const settings = Object.entries(process.env).filter(([name]) => !name.startsWith('TRIBUTARY_'))
  const { stdout } = await promisify(execFile)(process.execPath, [script], {
    env: { ...Object.fromEntries(settings), TRIBUTARY_DATA_DIR: product.dataDir },
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

type Kind = 'without' | 'with' | 'looked'

/**
 * Measures stored events per second, a twelfth of them identify calls: without the role of profiles, with it, and with
 * it while profiles are read, in alternation. Profiles may be behind when a round ends. The next round waits until they
 * have read all events.
 */
const measureStoring = async (world: ProfilesWorld): Promise<Figure[]> => {
  /** Time in ms that profiles needed after the last event was stored. */
  const behind: number[] = []
  /** Processor time of the product per event in µs, until profiles have also read it. */
  const cost: Record<Kind, number[]> = { without: [], with: [], looked: [] }
  const measure = async (kind: Kind, round: string): Promise<number> => {
    const bench = kind === 'without' ? world.without : world.with
    const [before, time] = [await bench.stored(), processorSeconds(bench.product.pid)]
    const enough = new AbortController()
    const looking = kind === 'looked' ? lookAround(bench, enough.signal) : Promise.resolve()
    const rate = await measureRound(bench, `profiles-${round}`)
    enough.abort()
    await looking
    const stored = await bench.stored()
    if (kind !== 'without') {
      await profilesKnow(bench, stored)
      behind.push(performance.now() - (await bench.lastStored()))
    }
    cost[kind].push(((processorSeconds(bench.product.pid) - time) * 1e6) / (stored - before))
    return rate
  }
  // Sends one event of every user first, so that known users are in memory.
  const { port, key } = world.with
  await runLoad({ port, key, connections: 16, eventsPerRequest: 100, people, run: 'first', events: people })
  for (const kind of ['with', 'without'] as const) await measure(kind, 'warm')
  for (const times of [...Object.values(cost), behind]) times.length = 0
  const rates = await inTurns(pairs, ['without', 'with', 'looked'] as const, (kind, round) =>
    measure(kind, String(round)),
  )
  const figureOf = (kind: 'with' | 'looked', figure: string): Figure => {
    const ratio = mean(rates[kind]) / mean(rates.without)
    return {
      figure,
      target: `>= ${targetRatios[kind]} of ${thousands(mean(rates.without))}/s without`,
      measured: `${thousands(mean(rates[kind]))}/s (ratio ± ${spreadOfRatio(rates[kind], rates.without).toFixed(2)}; profiles ready ${(mean(behind) / 1000).toFixed(1)} s later; ${mean(cost[kind]).toFixed(0)} µs of processor time an event, ${mean(cost.without).toFixed(0)} without)`,
      ratio,
      pass: ratio >= targetRatios[kind],
    }
  }
  return [
    figureOf('with', `stored with profiles of ${thousands(people)} people`),
    figureOf('looked', 'same, while somebody looks at profiles'),
  ]
}

/** The ID of the process in which both products store their events. */
const eventStorePid = (): number | undefined => childOf(process.pid, 'event-store')

/**
 * Measures the peak memory of the server that has profiles, since its start, and of the event store since it was
 * filled.
 */
const measureMemory = ({ with: { product } }: ProfilesWorld): Figure[] => {
  const figureOf = (figure: string, pid: number | undefined, limitMiB: number): Figure => {
    const bytes = pid === undefined ? 0 : peakResidentBytes(pid)
    return {
      figure,
      target: `< ${limitMiB} MiB`,
      measured: `${Math.round(bytes / MiB)} MiB`,
      pass: bytes > 0 && bytes < limitMiB * MiB,
    }
  }
  return [
    figureOf('server memory with profiles', product.pid, limitsMiB.server),
    figureOf('event store memory, same', eventStorePid(), limitsMiB.eventStore),
  ]
}

/**
 * The measurements, in a fixed order, because each changes the state of the products. `TRIBUTARY_BENCH_ONLY` selects
 * some of them.
 */
const parts: Record<string, (world: ProfilesWorld) => Promise<Figure[]>> = {
  storing: measureStoring,
  page: async (world) => [await measureFreshness(world.with, 15)],
  api: async (world) => [await measureProfileApi(world.with, people, 5)],
  search: async (world) => [await measureSearch(world.with)],
  computed: async (world) => [await measureComputedTraits(world.with, people, 20)],
  rebuild: async (world) => [await measureRebuild(world.with)],
  memory: async (world) => measureMemory(world),
}

/** Measures all figures of profiles, with many stored events of many users. */
export const measureProfiles = async (): Promise<Figure[]> => {
  const began = performance.now()
  await using world = await createProfilesWorld(events, people)
  const asked = process.env['TRIBUTARY_BENCH_ONLY']?.split(',')
  const figures: Figure[] = []
  const report = (what: string): void =>
    void process.stdout.write(`  ${what} after ${((performance.now() - began) / 1000).toFixed(0)} s\n`)
  report('filled')
  // The work of filling the event store is not counted.
  const store = eventStorePid()
  if (store !== undefined) forgetPeak(store)
  for (const [name, measure] of Object.entries(parts)) {
    if (asked !== undefined && !asked.includes(name)) continue
    const measured = await measure(world)
    figures.push(...measured)
    report(name)
    // Figures are printed before the last measurement, because it may fail.
    printFigures(measured)
  }
  return figures
}
