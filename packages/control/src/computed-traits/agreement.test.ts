import {
  type ComputedTraitDefinition,
  computedOperations,
  computedWindows,
  type SelectedAttribute,
} from '@tributary/contract'
import { newId, noMetrics, setFaultHandler, silentLogger } from '@tributary/kernel'
import { createComputedChanges, createLearning, createOwnersProjection, createProfileLedger } from '@tributary/profiles'
import { createTestDatabase, createTestEventStore, type TestDatabase, type TestEventStore } from '@tributary/test-kit'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { markErasedEvents, removeErasedEvents } from '../../../api-kit/src/erased-events.ts'
import { createComputedTraitWorker } from '../../../audiences/src/computed-traits/worker.ts'
import { createComputedTraitCache } from '../../../configuration/src/caches/computed-trait-cache.ts'
import { type PlainEvent, plainValue } from '../testing/naive-computed-trait.ts'
import { createRandom, oneOf } from '../testing/random-audience.ts'

const soak = Number(process.env.SOAK_ROUNDS ?? 0) > 0
const rounds = soak ? 2000 : 14
const seed = soak ? Number(process.env.SOAK_SEED ?? Date.now() % 1_000_000) : 1
const random = createRandom(seed)

const day = 86_400_000
let now = Date.parse('2026-03-04T05:06:07.890Z')
const workspace = newId()
const sourceId = newId()
let database: TestDatabase
let eventStore: TestEventStore

beforeAll(async () => {
  database = await createTestDatabase()
  eventStore = await createTestEventStore()
  const organization = newId()
  await database.db.insertInto('organizations').values({ id: organization, title: 'Acme' }).execute()
  const values = { id: workspace, organization_id: organization, title: 'W' }
  await database.db.insertInto('workspaces').values(values).execute()
})
afterEach(() => setFaultHandler(undefined))
afterAll(async () => {
  await database.close()
  await eventStore.close()
})

type Stored = PlainEvent & { userId: string; anonymousId: string }

const names = ['Order Completed', "it's {x:String}", 'Viewed\\n']
const values: readonly unknown[] = [
  12,
  -3,
  0,
  1.5,
  0.1,
  19.99,
  1e14,
  '12',
  '0.25',
  'a/b "c"',
  'é',
  true,
  false,
  null,
  ['a', 'x'],
]

let serial = 0
const makeEvent = (): Stored => {
  const receivedAt = now - oneOf(random, [0, 1, 1000])
  return {
    eventId: `0-${String(++serial).padStart(6, '0')}-0`,
    event: oneOf(random, names),
    userId: random(3) === 0 ? `user-${random(12)}` : '',
    anonymousId: random(8) === 0 ? oneOf(random, ['', 'null']) : `device-${random(20)}`,
    properties: Object.fromEntries(
      ['total', 'code'].filter(() => random(5) > 0).map((name) => [name, oneOf(random, values)]),
    ),
    receivedAt,
    // Some events are late, and some are in the future.
    timestamp: receivedAt - oneOf(random, [0, 0, day, 6 * day, 40 * day, -day]),
    status: oneOf(random, ['accepted', 'accepted', 'accepted', 'blocked', 'rejected']),
    test: random(8) === 0,
  }
}

const time = (ms: number): string => new Date(ms).toISOString()
const storedTime = (ms: number): string => time(ms).replace('T', ' ').replace('Z', '')

/** The events of the event store, including those of deleted users. */
let stored: Stored[] = []

const createWorld = (pageProfiles = 8) => {
  const { db, pool } = database
  const cache = createComputedTraitCache({ db, pool, logger: silentLogger })
  const owners = createOwnersProjection({ db, eventStore, logger: silentLogger })
  const learn = createLearning({ db, metrics: noMetrics })
  const note = createComputedChanges({ db, computed: cache })
  const worker = createComputedTraitWorker({
    db,
    eventStore,
    cache,
    ends: async () => [1_000_000],
    isStored: () => true,
    bringOwners: () => owners.catchUp(),
    clock: () => now,
    logger: silentLogger,
    metrics: noMetrics,
    pageProfiles,
  })
  const receive = async (events: readonly Stored[]): Promise<void> => {
    const rows = events.flatMap((event) => {
      const row = {
        source_id: sourceId,
        event_id: event.eventId,
        message_id: event.eventId,
        type: 'track',
        event: event.event,
        user_id: event.userId,
        anonymous_id: event.anonymousId,
        test: event.test,
        status: event.status,
        receive_time: storedTime(event.receivedAt),
        timestamp: storedTime(event.timestamp),
        properties: event.properties,
        traits: {},
        original: '{}',
      }
      // Another workspace has the same people.
      return [workspace, newId()].map((workspace_id) => JSON.stringify({ ...row, workspace_id }))
    })
    await eventStore.insert('events', rows, { token: newId() })
    const accepted = events
      .filter(({ status }) => status === 'accepted')
      .map((event) => ({
        workspaceId: workspace,
        sourceId,
        eventId: event.eventId,
        json: JSON.stringify({
          eventId: event.eventId,
          messageId: event.eventId,
          type: 'track',
          event: event.event,
          ...(event.userId === '' ? {} : { userId: event.userId }),
          ...(event.anonymousId === '' ? {} : { anonymousId: event.anonymousId }),
          properties: event.properties,
          context: {},
          test: event.test,
          receivedAt: time(event.receivedAt),
          timestamp: time(event.timestamp),
        }),
      }))
    // The same events may be received twice.
    for (const batch of random(3) === 0 ? [accepted, accepted] : [accepted]) {
      await learn(batch)
      await note(batch, 0)
    }
  }
  return {
    cache,
    worker,
    receive,
    async close() {
      await worker.stop()
      await owners.stop()
      await cache.stop()
    },
  }
}
type World = ReturnType<typeof createWorld>

const define = async ({ cache }: World, definition: ComputedTraitDefinition): Promise<string> => {
  const id = newId()
  const row = { id, workspace_id: workspace, trait: `computed ${id}`, definition: JSON.stringify(definition) }
  const times = { create_time: new Date(now), update_time: new Date(now) }
  await database.db.transaction().execute(async (tx) => {
    await tx
      .insertInto('computed_traits')
      .values({ ...row, ...times, author_id: null })
      .execute()
    await sql`insert into computed_trait_places (workspace_id, sequence) values (${workspace}::uuid,
      coalesce((select sequence from identity_ledgers where workspace_id = ${workspace}::uuid), 0))
      on conflict do nothing`.execute(tx)
  })
  await cache.refresh()
  return id
}

const randomDefinition = (operation: ComputedTraitDefinition['operation']): ComputedTraitDefinition => ({
  event: oneOf(random, names),
  operation,
  property: operation === 'count' ? '' : oneOf(random, ['total', 'code']),
  window_days: oneOf(random, [null, ...computedWindows]),
  conditions: oneOf(random, [
    [],
    [],
    [{ id: 'aaaa', name: 'total', valueType: 'number', operator: 'greater_than', value: '1', values: [] }],
    [{ id: 'aaaa', name: 'code', valueType: 'text', operator: 'exists', value: '', values: [] }],
  ] satisfies SelectedAttribute[][]),
})

const change = async ({ cache }: World, id: string, definition: ComputedTraitDefinition): Promise<void> => {
  await sql`update computed_traits set definition = ${JSON.stringify(definition)}, version = version + 1, pass_time = null
    where id = ${id}::uuid`.execute(database.db)
  await cache.refresh()
}

/** The stored values, by profile and computed trait; each once. */
const found = async (): Promise<Map<string, unknown>> => {
  const { rows } = await sql<{ profile_id: string; source_id: string; value: string }>`
    select i.profile_id, t.source_id, t.value from profile_traits t
    join profile_identifiers i on i.workspace_id = t.workspace_id and i.sequence = t.identifier
    where t.workspace_id = ${workspace}::uuid and t.due is not null and t.time = 'infinity'`.execute(database.db)
  const all = new Map(rows.map((row) => [`${row.profile_id} ${row.source_id}`, JSON.parse(row.value) as unknown]))
  expect(all.size).toBe(rows.length)
  return all
}

/** The expected values. */
const expected = async (definitions: ReadonlyMap<string, ComputedTraitDefinition>): Promise<Map<string, unknown>> => {
  const identifiers = await database.db
    .selectFrom('profile_identifiers')
    .select(['type', 'value', 'profile_id'])
    .execute()
  const byKey = new Map(identifiers.map(({ type, value, profile_id }) => [`${type}:${value}`, profile_id]))
  const own = Map.groupBy(
    stored,
    ({ userId, anonymousId }) => byKey.get(userId === '' ? `anonymous_id:${anonymousId}` : `user_id:${userId}`) ?? '',
  )
  const all = new Map<string, unknown>()
  for (const [profile, events] of own)
    for (const [id, definition] of definitions) {
      const value = profile === '' ? undefined : plainValue(definition, events, now)
      if (value !== undefined) all.set(`${profile} ${id}`, value)
    }
  return all
}

const sorted = (all: ReadonlyMap<string, unknown>) => [...all].toSorted(([a], [b]) => (a < b ? -1 : 1))

const splitOne = async (): Promise<void> => {
  const { rows } = await sql<{ profile_id: string; members: { type: string; value: string }[] }>`
    select profile_id, json_agg(json_build_object('type', type, 'value', value)) as members from profile_identifiers
    where workspace_id = ${workspace}::uuid group by profile_id having count(*) > 1`.execute(database.db)
  if (rows.length === 0) return
  const { profile_id: profileId, members } = oneOf(random, rows)
  const identifiers = members.slice(0, 1 + random(members.length - 1))
  const ledger = createProfileLedger(database.db)
  await database.db
    .transaction()
    .execute((tx) => ledger.split(tx, workspace, { profileId, identifiers, actorId: newId(), time: new Date(now) }))
}

const deleteOne = async (): Promise<void> => {
  const identifier = { type: 'user_id', value: `user-${random(12)}` }
  const ledger = createProfileLedger(database.db)
  const requestId = newId()
  const forgotten = await database.db.transaction().execute((tx) =>
    ledger.forget(tx, workspace, {
      requestId,
      identifiers: [identifier],
      erases: true,
      suppresses: false,
      actorId: newId(),
      time: new Date(now),
    }),
  )
  if (forgotten === undefined) return
  // Events from now on belong to another user.
  now += 10_000
  const { identifiers } = forgotten
  const people = { workspaceId: workspace, requestId, identifiers, owners: [], until: new Date(now - 10_000) }
  await markErasedEvents(eventStore, ledger.ownerOf, people)
  await removeErasedEvents(eventStore, [people], new AbortController().signal)
  const gone = new Set(identifiers.map(({ type, value }) => `${type}:${value}`))
  stored = stored.filter(
    ({ userId, anonymousId }) => !gone.has(userId === '' ? `anonymous_id:${anonymousId}` : `user_id:${userId}`),
  )
}

test(`after any events, merges, splits, and deletions, computed values equal those of a plain evaluation (seed ${seed})`, async () => {
  const world = createWorld()
  await world.cache.start()
  const definitions = new Map<string, ComputedTraitDefinition>()
  const sizes = new Set<number>()
  for (let round = 0; round < rounds; round++) {
    const operation = computedOperations[round]
    if (operation !== undefined) {
      const definition = randomDefinition(operation)
      definitions.set(await define(world, definition), definition)
    }
    if (random(6) === 0) {
      const [id] = oneOf(random, [...definitions])
      const definition = randomDefinition(oneOf(random, computedOperations))
      definitions.set(id, definition)
      await change(world, id, definition)
    }
    const events = Array.from({ length: random(12) }, makeEvent)
    stored.push(...events)
    await world.receive(events)
    if (random(4) === 0) await splitOne()
    if (random(8) === 0) await deleteOne()
    await world.worker.catchUp()
    const right = sorted(await expected(definitions))
    expect(sorted(await found()), JSON.stringify({ round, definitions: [...definitions] })).toEqual(right)
    sizes.add(right.length)
    // Time windows move. The daily computation of all profiles is prevented, because values must be right without it.
    now += oneOf(random, [1, 1000, 3_600_000, 20 * 3_600_000, 3 * day])
    await sql`update computed_traits set compute_time = ${new Date(now)}`.execute(database.db)
  }
  expect(sizes.size).toBeGreaterThan(10)
  await world.close()
}, 3_600_000)

test('a killed computation continues with the remaining profiles, and computed values stay while a store is unavailable', async () => {
  const first = createWorld(3)
  await first.cache.start()
  const events = Array.from({ length: 60 }, makeEvent)
  stored.push(...events)
  await first.receive(events)
  await first.worker.catchUp()
  const definition = { ...randomDefinition('count'), event: 'Order Completed', window_days: null, conditions: [] }
  const id = await define(first, definition)
  const progress = () =>
    database.db.selectFrom('computed_traits').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  let pages = 0
  setFaultHandler((name) => {
    if (name === 'computed-traits.before-page' && ++pages === 4) throw new Error('killed')
  })
  await expect(first.worker.catchUp()).rejects.toThrow('killed')
  await first.close()
  const { pass_done, pass_total, computed_version } = await progress()
  expect({ pass_done, computed_version }).toEqual({ pass_done: 9, computed_version: 0 })
  expect(pass_total).toBeGreaterThan(9)
  setFaultHandler(undefined)
  const second = createWorld()
  await second.cache.start()
  await second.worker.catchUp()
  expect(await progress()).toMatchObject({ pass_done: pass_total, computed_version: 1 })
  const own = async (all: Promise<Map<string, unknown>>) => sorted(await all).filter(([key]) => key.endsWith(id))
  const right = await own(expected(new Map([[id, definition]])))
  expect(await own(found())).toEqual(right)
  expect(right.length).toBeGreaterThan(5)
  // Deleted computed traits disappear with their values; the other values stay.
  const others = (await found()).size - right.length
  await sql`update computed_traits set delete_time = now() where id = ${id}::uuid`.execute(database.db)
  await second.worker.catchUp()
  expect((await found()).size).toBe(others)
  expect(await database.db.selectFrom('computed_traits').selectAll().where('id', '=', id).execute()).toEqual([])
  await second.close()
})
