import { join } from 'node:path'
import type { AudienceQuery } from '@tributary/contract'
import { noMetrics, silentLogger } from '@tributary/kernel'
import { createLearning, createOwnersProjection } from '@tributary/profiles'
import { openRelational, type Relational, runningPostgresUrl } from '@tributary/storage'
import { createTestEventStore, eventually, type OwnEventStore, startSharedEventStore } from '@tributary/test-kit'
import { atLeast, did, lastDays, never, plans, queryOf, trait, typical } from '../audience-queries.ts'
import { childOf, type Figure, inTurns, mean, median, percentile, sizeOf, spreadOfRatio } from '../harness.ts'
import { type Bench, startBench } from '../product.ts'
import { fillEventStore } from '../stored-events.ts'
import { measureLiveAudiences } from './audiences-live.ts'

const dayMs = 86_400_000
const days = 60
const events = sizeOf('EVENTS', 5_000_000)
const people = sizeOf('PEOPLE', 200_000)
const pairs = 8
const rounds = 4
const targetRatio = 1.3
const targetMs = 1000
const learned = 2000

type Place = { bench: Bench; workspaceId: string; store: OwnEventStore; relational: Relational }

/**
 * Sends an event and waits for its profile. Call this before `fillEventStore`: if a profile already exists, events that
 * are inserted directly are not read.
 */
const createFirstProfile = async ({ product, workspace, key }: Bench): Promise<void> => {
  await fetch(`${product.url}/v1/track`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${key}:`)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ event: 'Seen', userId: 'somebody' }),
  })
  await eventually('the first profile', async () => {
    const { profiles } = await product.api.ok('GET', `/${workspace}/profiles?search=somebody`)
    return (profiles as unknown[]).length > 0
  })
}

/**
 * Inserts profiles for the users of `fillEventStore`, each with a user ID, a device, and four traits, as profiles get
 * them from identify calls.
 */
const fillProfiles = async ({ workspaceId, store, relational }: Place): Promise<void> => {
  const devices = await store.query<{ device: string }>(
    'select lower(hex(sipHash64(toString(number)))) as device from numbers({people:UInt64})',
    { people },
  )
  const learn = createLearning({ db: relational.db, metrics: noMetrics })
  const time = new Date(Date.now() - days * dayMs).toISOString()
  const of = { workspaceId, sourceId: crypto.randomUUID() }
  for (let from = 0; from < people; from += learned)
    await learn(
      devices.slice(from, from + learned).map(({ device }, index) => {
        const person = from + index
        const eventId = `0-${person}-0`
        const traits = {
          email: `user-${person}@example.com`,
          plan: plans[person % plans.length],
          age: 10 + (person % 80),
          since: new Date(Date.UTC(2020, 0, 1) + (person % 2200) * dayMs).toISOString().slice(0, 10),
        }
        const ids = { userId: `user-${person}`, anonymousId: device }
        const event = { eventId, type: 'identify', ...ids, traits, context: {}, receivedAt: time, timestamp: time }
        return { ...of, eventId, json: JSON.stringify(event) }
      }),
    )
  await relational.pool.query('analyze')
  const owners = createOwnersProjection({ db: relational.db, eventStore: store, logger: silentLogger })
  await owners.catchUp()
  await owners.stop()
}

/**
 * Runs the handwritten query for the comparison: one pass over the events of both names, and only the traits of the
 * matching users.
 */
const byHand = async ({ workspaceId, store, relational }: Place, round: number): Promise<number> => {
  const now = Date.now()
  const [found] = await store.query<{ ids: string }>(
    `select concat('{', arrayStringConcat(groupArray(toString(toInt64(profile))), ','), '}') as ids from (
      select if(joined.profile = 0, seen.owner, joined.profile) as profile from (
        select owner, countIf(event = 'Cart Viewed') as viewed, countIf(event = 'Signed Out' and time > {week:DateTime64(3)}) as left
        from (select owner, event, least(timestamp, receive_time) as time from events
          where workspace_id = {workspace:String} and receive_time > {month:DateTime64(3)} and event in ('Cart Viewed', 'Signed Out')
            and time > {month:DateTime64(3)} and status = 'accepted' and not test and owner != 0)
        group by owner) as seen
      left join (select owner, argMax(profile, version) as profile from profile_owners
        where workspace_id = {workspace:String} and owner != 0 group by owner) as joined on joined.owner = seen.owner
      group by profile having sum(viewed) >= 3 and sum(left) = 0)`,
    { workspace: workspaceId, month: (now - 30 * dayMs) / 1000, week: (now - 7 * dayMs) / 1000 },
    { owner: workspaceId, slot: 'short' },
  )
  const { rows } = await relational.pool.query<{ size: number }>(
    `select count(*)::int as size from (
      select id from profiles where workspace_id = $1::uuid and merged_into is null
        and ('x' || left(replace(id::text, '-', ''), 16))::bit(64)::bigint = any($2::bigint[])) as p
    where (select t.value from profile_identifiers i
      join current_traits t on t.workspace_id = i.workspace_id and t.identifier = i.sequence and t.name = 'plan'
      where i.workspace_id = $1::uuid and i.profile_id = p.id order by t.time desc, t.event_id desc limit 1) = to_json($3::text)::text`,
    [workspaceId, found?.ids, plans[round % plans.length]],
  )
  return rows[0]?.size ?? 0
}

const timed = async (call: () => Promise<unknown>): Promise<number> => {
  const began = performance.now()
  await call()
  return performance.now() - began
}

/**
 * Queries of a user who is building an audience. A part of each differs from round to round, so that no result is
 * cached.
 */
const edits: Record<string, (round: number) => AudienceQuery> = {
  typical,
  'an event': (round) => queryOf('and', did('Search Performed', { timeframe: lastDays(20 + round) })),
  'an event at any time': (round) => queryOf('and', did('Button Clicked', atLeast(1 + round))),
  'an event by a property': (round) =>
    queryOf(
      'and',
      did('Order Completed', {
        timeframe: lastDays(40 + round),
        selectedAttributes: [
          { id: 'prop', name: 'total', valueType: 'number', operator: 'greater_than', value: '100' },
        ],
      }),
    ),
  'not an event': (round) => queryOf('and', did('Coupon Applied', { timeframe: lastDays(10 + round), ...never })),
  'a trait': (round) => queryOf('and', trait('plan', { operator: 'equals', value: plans[round % plans.length] })),
  'a trait that is not': (round) => queryOf('and', trait('plan', { operator: 'not_equals', value: plans[round % 5] })),
  'a number': (round) =>
    queryOf('and', trait('age', { valueType: 'number', operator: 'at_least', value: String(20 + round) })),
  'a date': (round) =>
    queryOf('and', trait('since', { valueType: 'date', operator: 'after', value: `2022-0${1 + round}-01` })),
  'two traits': (round) =>
    queryOf(
      'and',
      trait('plan', { operator: 'equals', value: plans[round % plans.length] }),
      trait('age', { valueType: 'number', operator: 'less_than', value: '40' }),
    ),
  'an event or a trait': (round) =>
    queryOf(
      'or',
      did('Coupon Applied', { timeframe: lastDays(20 + round) }),
      trait('plan', { operator: 'equals', value: 'team' }),
    ),
}

/**
 * Measures the requests of the audience builder for each edit, in alternation: an estimate, and then the exact size.
 * `error` is the mean relative difference between both.
 */
const measureSizes = async (
  preview: (query: AudienceQuery, estimate: boolean) => Promise<number>,
): Promise<{ estimate: number[]; exact: number[]; error: number }> => {
  const all = { estimate: [] as number[], exact: [] as number[] }
  const errors: number[] = []
  for (const [name, make] of Object.entries(edits)) {
    const own = { estimate: [] as number[], exact: [] as number[] }
    for (let round = 0; round < rounds; round++) {
      const found = { estimate: 0, exact: 0 }
      for (const kind of ['estimate', 'exact'] as const)
        own[kind].push(
          await timed(async () => {
            found[kind] = await preview(make(round), kind === 'estimate')
          }),
        )
      errors.push(Math.abs(found.estimate - found.exact) / Math.max(found.exact, 1))
    }
    const [estimate, exact] = [median(own.estimate).toFixed(0), median(own.exact).toFixed(0)]
    process.stdout.write(
      `  ${name}: ${estimate} ms, exact ${exact} ms, at most ${Math.max(...own.estimate).toFixed(0)} ms\n`,
    )
    all.estimate.push(...own.estimate)
    all.exact.push(...own.exact)
  }
  return { ...all, error: mean(errors) }
}

const measureWholes = async (place: Place): Promise<Figure[]> => {
  const { bench } = place
  const preview = async (query: AudienceQuery, estimate = false): Promise<number> =>
    Number((await bench.product.api.ok('POST', `/${bench.workspace}/audiences:preview`, { query, estimate }))['size'])
  const [counted, right] = [await preview(typical(0)), await byHand(place, 0)]
  // The two counts use slightly different current times, so their time windows differ, too.
  if (Math.abs(counted - right) > 2) throw new Error(`Both count differently: ${counted} and ${right}`)

  const turns = await inTurns(pairs, ['byHand', 'audience'] as const, (kind, round) =>
    timed(() => (kind === 'byHand' ? byHand(place, round) : preview(typical(round)))),
  )
  const ratio = mean(turns.audience) / mean(turns.byHand)
  const sizes = await measureSizes(preview)
  const stored = `${events / 1_000_000} million events, ${people / 1000} thousand profiles`
  return [
    {
      figure: 'typical audience, ratio to SQL by hand',
      target: `<= ${targetRatio} of ${mean(turns.byHand).toFixed(0)} ms`,
      measured: `${mean(turns.audience).toFixed(0)} ms (ratio ± ${spreadOfRatio(turns.audience, turns.byHand).toFixed(2)})`,
      ratio,
      pass: ratio <= targetRatio,
    },
    {
      figure: `size while editing, ${stored}`,
      target: `p95 < ${targetMs / 1000} s`,
      measured: `${percentile(sizes.estimate, 0.95).toFixed(0)} ms (median ${median(sizes.estimate).toFixed(0)} ms; off by ${(sizes.error * 100).toFixed(1)} %)`,
      pass: percentile(sizes.estimate, 0.95) < targetMs,
    },
    {
      figure: 'the exact size that follows',
      target: 'stated',
      measured: `p95 ${percentile(sizes.exact, 0.95).toFixed(0)} ms (median ${median(sizes.exact).toFixed(0)} ms)`,
      pass: true,
    },
  ]
}

/**
 * Measures the cost of audiences with many stored events and profiles. The parts are the size beside the builder
 * through the API, the typical audience against SQL written by hand, and fifty live audiences. `TRIBUTARY_BENCH_ONLY`
 * selects `whole` or `live`.
 */
export const measureAudiences = async (): Promise<Figure[]> => {
  await using shared = await startSharedEventStore()
  await using store = await createTestEventStore(shared.url)
  const bench = await startBench({ env: { CLICKHOUSE_URL: store.url } })
  await using _ = bench.product
  await createFirstProfile(bench)
  const url = await runningPostgresUrl(join(bench.product.dataDir, 'postgres'))
  await using relational = openRelational({ url, logger: silentLogger, maxConnections: 2 })
  const workspaceId = bench.workspace.split('/').at(-1) ?? ''
  const place = { bench, workspaceId, store, relational }
  const ids = (count: number): string[] => Array.from({ length: count }, () => crypto.randomUUID())
  const began = performance.now()
  await fillEventStore(store, {
    events,
    until: Date.now(),
    days,
    workspaces: [{ id: workspaceId, sources: ids(4) }, ...ids(2).map((id) => ({ id, sources: ids(4) }))],
  })
  await fillProfiles(place)
  process.stdout.write(`  filled in ${((performance.now() - began) / 1000).toFixed(0)} s\n`)
  const parts: Record<string, () => Promise<Figure[]>> = {
    whole: () => measureWholes(place),
    live: () => measureLiveAudiences(bench, childOf(process.pid, 'event-store') ?? 0),
  }
  const asked = process.env['TRIBUTARY_BENCH_ONLY']?.split(',')
  const figures: Figure[] = []
  for (const [name, part] of Object.entries(parts))
    if (asked === undefined || asked.includes(name)) figures.push(...(await part()))
  return figures
}
