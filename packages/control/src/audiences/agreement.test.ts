import type { Tx } from '@tributary/api-kit'
import type { AudienceQuery } from '@tributary/contract'
import { newId, noMetrics, silentLogger } from '@tributary/kernel'
import { createLearning, createOwnersProjection, createProfileLedger } from '@tributary/profiles'
import { createTestDatabase, createTestEventStore, type TestDatabase, type TestEventStore } from '@tributary/test-kit'
import type { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCompiler } from '../../../audiences/src/compile.ts'
import { noSets, type ProfileSets, profilesQuery, runEvents, storeSets } from '../../../audiences/src/evaluate.ts'
import { readPeople } from '../../../audiences/src/people.ts'
import type { EventsStatement, ProfilesStatement } from '../../../audiences/src/sql-builder.ts'
import { meetsQuery, type NaiveEvent, type NaiveProfile, propertyAt } from '../testing/naive-audience.ts'
import {
  createRandom,
  givenNames,
  oneOf,
  type Random,
  randomAudience,
  randomEventQueries,
  randomEvents,
  randomValue,
} from '../testing/random-audience.ts'

const soak = Number(process.env.SOAK_ROUNDS ?? 0) > 0
/** Number of random queries, and number of sets of events with which each is compared. */
const cases = soak ? 10_000 : 500
const dataSets = soak ? 20 : 1
const seed = soak ? Number(process.env.SOAK_SEED ?? Date.now() % 1_000_000) : 1

const asOf = Date.parse('2026-03-04T05:06:07.890Z')
const day = 86_400_000
const sourceId = newId()
let database: TestDatabase
let eventStore: TestEventStore

/** A workspace with its profiles as a plain evaluation uses them. */
type Data = { workspace: string; profiles: Map<string, NaiveProfile> }
let data: Data

type Stored = NaiveEvent & { eventId: string; userId: string; anonymousId: string }

/** Makes events of people who sign in on several devices. Some are late, in the future, tests, or not accepted. */
const makeEvents = (random: (below: number) => number): Stored[] =>
  Array.from({ length: 600 }, (_, index): Stored => {
    const name = oneOf(random, randomEvents)
    const values = (): Record<string, unknown> => {
      const given = Object.fromEntries(
        givenNames.filter(() => random(3) > 0).map((each) => [each, randomValue(random)]),
      )
      const { 'nest.deep': deep, ...rest } = given
      // Some events have a name with a dot, others a nested object with the same path.
      return deep === undefined ? given : random(2) === 0 ? given : { ...rest, nest: { deep, other: 1 } }
    }
    const receivedAt = asOf - random(120) * day + oneOf(random, [-1, 0, 1, 12 * 3_600_000])
    const typed = name === 'page' || name === 'identify'
    return {
      eventId: `0-${index}-0`,
      type: typed ? name : 'track',
      event: typed ? '' : name,
      userId: random(3) === 0 ? `user-${random(15)}` : '',
      anonymousId: random(8) === 0 ? oneOf(random, ['', 'null']) : `device-${random(25)}`,
      properties: name === 'identify' ? {} : values(),
      traits: name === 'identify' ? values() : {},
      receivedAt,
      timestamp: receivedAt - oneOf(random, [0, 0, day, 40 * day, -day]),
      status: oneOf(random, ['accepted', 'accepted', 'accepted', 'blocked', 'rejected']),
      test: random(8) === 0,
    }
  })

const time = (ms: number): string => new Date(ms).toISOString()

const store = async (workspace: string, events: readonly Stored[]): Promise<void> => {
  const organization = newId()
  await database.db.insertInto('organizations').values({ id: organization, title: 'Acme' }).execute()
  const values = { id: workspace, organization_id: organization, title: 'W' }
  await database.db.insertInto('workspaces').values(values).execute()
  const rows = events.flatMap((event) => {
    const row = {
      source_id: sourceId,
      event_id: event.eventId,
      message_id: event.eventId,
      type: event.type,
      event: event.event,
      user_id: event.userId,
      anonymous_id: event.anonymousId,
      test: event.test,
      status: event.status,
      receive_time: time(event.receivedAt).replace('T', ' ').replace('Z', ''),
      timestamp: time(event.timestamp).replace('T', ' ').replace('Z', ''),
      properties: event.properties,
      traits: event.traits,
      original: '{}',
    }
    // Another workspace has the same people, and each of their events twice.
    return [
      { ...row, workspace_id: workspace },
      { ...row, workspace_id: newId() },
    ].map((each) => JSON.stringify(each))
  })
  await eventStore.insert('events', rows, { token: newId() })
  await createLearning({ db: database.db, metrics: noMetrics })(
    events
      .filter(({ status }) => status === 'accepted')
      .map((event) => ({
        workspaceId: workspace,
        sourceId,
        eventId: event.eventId,
        json: JSON.stringify({
          eventId: event.eventId,
          type: event.type,
          ...(event.event === '' ? {} : { event: event.event }),
          ...(event.userId === '' ? {} : { userId: event.userId }),
          ...(event.anonymousId === '' ? {} : { anonymousId: event.anonymousId }),
          ...(event.type === 'identify' ? { traits: event.traits } : { properties: event.properties }),
          context: {},
          receivedAt: time(event.receivedAt),
          timestamp: time(event.timestamp),
        }),
      })),
  )
  const owners = createOwnersProjection({ db: database.db, eventStore, logger: silentLogger })
  await owners.catchUp()
  await owners.stop()
}

/**
 * Returns the latest value of a trait. A nested value counts from the latest value of each trait that may contain it.
 */
const latestOf = (taught: readonly (Stored & { at: number })[], name: string): unknown => {
  const steps = name.split('.')
  const latest = new Map<string, { value: unknown; place: number }>()
  for (const [place, { traits }] of taught.entries())
    for (const [holder, value] of Object.entries(traits as Record<string, unknown>))
      latest.set(holder, { value, place })
  const found = steps.flatMap((_, index) => {
    const holder = steps.slice(0, index + 1).join('.')
    const own = latest.get(holder)
    if (own === undefined) return []
    const value = holder === name ? own.value : propertyAt(own.value, name.slice(holder.length + 1))
    return value === undefined ? [] : [{ value, place: own.place, length: holder.length }]
  })
  return found.toSorted((a, b) => b.place - a.place || b.length - a.length)[0]?.value
}

/** Reads the profiles, with the stored events of each. */
const readProfiles = async (workspace: string, events: readonly Stored[]): Promise<Map<string, NaiveProfile>> => {
  const identifiers = await database.db
    .selectFrom('profile_identifiers')
    .select(['type', 'value', 'profile_id'])
    .where('workspace_id', '=', workspace)
    .execute()
  const byKey = new Map(identifiers.map(({ type, value, profile_id }) => [`${type}:${value}`, profile_id]))
  const ownerOf = ({ userId, anonymousId }: Stored): string | undefined =>
    byKey.get(`user_id:${userId}`) ?? byKey.get(`anonymous_id:${anonymousId}`)
  const own = Map.groupBy(events, ownerOf)
  return new Map(
    [...new Set(byKey.values())].map((id) => {
      const of = own.get(id) ?? []
      const taught = of
        .filter(({ status, type }) => status === 'accepted' && type === 'identify')
        .map((event) => ({ ...event, at: Math.min(event.timestamp, event.receivedAt) }))
        .toSorted((a, b) => a.at - b.at || (a.eventId < b.eventId ? -1 : 1))
      return [
        id,
        {
          hasUserId: identifiers.some(({ type, profile_id }) => type === 'user_id' && profile_id === id),
          events: of,
          traitOf: (name) => latestOf(taught, name),
        },
      ]
    }),
  )
}

const makeData = async (of: number): Promise<Data> => {
  const workspace = newId()
  const events = makeEvents(createRandom(of))
  await store(workspace, events)
  return { workspace, profiles: await readProfiles(workspace, events) }
}

beforeAll(async () => {
  database = await createTestDatabase()
  eventStore = await createTestEventStore()
  data = await makeData(seed)
})
afterAll(async () => {
  await database.close()
  await eventStore.close()
})

/**
 * Queries of a batch share conditions on events, because reading each condition takes most of the event store's time.
 */
const batch = 500
const eventsOfBatch = 60
/**
 * Number of queries in a statement of the relational store; and every how many queries one also runs alone, as for a
 * count.
 */
const together = 50
const alone = 5

const rowsOf = async <Row>(statement: ProfilesStatement, sets: ProfileSets, text: string): Promise<readonly Row[]> => {
  const query = profilesQuery(statement, sets, { text }) as CompiledQuery<Row>
  return await database.db.transaction().execute(async (tx) => {
    await storeSets(tx as unknown as Tx, sets)
    return (await tx.executeQuery(query)).rows
  })
}

/** Makes the statement return few profiles per row, as it does for a large audience. */
const inSmallChunks = (statement: EventsStatement): EventsStatement => ({
  ...statement,
  params: { ...statement.params, chunk: 5 },
})

/**
 * Compares the results of compiled random queries with a plain evaluation, and returns how many profiles each found.
 */
const compareAll = async ({ workspace, profiles }: Data, random: Random): Promise<Set<number>> => {
  const saved = new Map<string, AudienceQuery>()
  const queryOf = (name: string): AudienceQuery | undefined => saved.get(name)
  const sizes = new Set<number>()
  const compare = async (): Promise<void> => {
    const events = randomEventQueries(random, eventsOfBatch)
    const compiler = createCompiler({ workspaceId: workspace, asOf, queryOf })
    const chunks = Array.from({ length: batch / together }, () => {
      const queries = Array.from({ length: together }, () => {
        const query = randomAudience(random, { audiences: [...saved.keys(), 'gone'], events })
        // Later queries refer to the first five as other audiences.
        if (saved.size < 5) saved.set(`audience-${saved.size}`, query)
        return query
      })
      return {
        queries,
        statement: compiler.addAll(queries),
        own: queries.map((query, index) => (index % alone === 0 ? compiler.add(query) : undefined)),
      }
    })
    const asked = compiler.events()
    const options = { workspaceId: newId(), slot: 'short', signal: new AbortController().signal } as const
    const sets = asked === undefined ? noSets : await runEvents(eventStore, inSmallChunks(asked), options)
    expect(sets.chunks.length).toBeGreaterThan(1)
    for (const { queries, statement, own } of chunks) {
      const rows = await rowsOf<{ id: string; met: boolean[] }>(statement, sets, 'select id, met from members')
      expect(rows.length).toBe(profiles.size)
      for (const [index, query] of queries.entries()) {
        const right = [...profiles].filter(([, each]) => meetsQuery(query, each, { asOf, queryOf })).map(([id]) => id)
        const agrees = (found: readonly string[], of: ProfilesStatement): void => {
          if (found.toSorted().join() !== right.toSorted().join())
            expect(found.toSorted(), JSON.stringify({ query, asked, of, index }, null, 1)).toEqual(right.toSorted())
        }
        agrees(
          rows.filter(({ met }) => met[index] === true).map(({ id }) => id),
          statement,
        )
        const single = own[index]
        if (single !== undefined)
          agrees(
            (await rowsOf<{ id: string }>(single, sets, 'select id from members')).map(({ id }) => id),
            single,
          )
        sizes.add(right.length)
      }
    }
  }
  let left = cases / batch
  const compareSome = async (): Promise<void> => {
    while (left-- > 0) await compare()
  }
  await Promise.all([compareSome(), compareSome()])
  return sizes
}

test(`a compiled random query finds the same profiles as a plain evaluation (seed ${seed})`, async () => {
  for (let at = 0; at < dataSets; at++) {
    const own = at === 0 ? data : await makeData(seed + 1000 * at)
    expect(own.profiles.size).toBeGreaterThan(10)
    // Several different counts show that some audiences are neither empty nor complete.
    expect((await compareAll(own, createRandom(seed + 1000 * at + 1))).size).toBeGreaterThan(10)
  }
}, 3_600_000)

test('statements for a sample return exactly the profiles of the sample that a plain evaluation finds', async () => {
  const { workspace, profiles } = data
  const random = createRandom(seed + 3)
  const queryOf = (): undefined => undefined
  const events = randomEventQueries(random, eventsOfBatch)
  const queries = Array.from({ length: 100 }, () => randomAudience(random, { audiences: ['gone'], events }))
  const compiler = createCompiler({ workspaceId: workspace, asOf, queryOf, sample: { share: 2 } })
  const statements = queries.map((query) => compiler.add(query))
  const asked = compiler.events()
  const options = { workspaceId: newId(), slot: 'short', signal: new AbortController().signal } as const
  const sets = asked === undefined ? noSets : await runEvents(eventStore, asked, options)
  const sampled = [...profiles].filter(([id]) => /^[0-7]/.test(id))
  expect(sampled.length).toBeGreaterThan(3)
  expect(sampled.length).toBeLessThan(profiles.size)
  for (const [index, query] of queries.entries()) {
    const statement = statements[index]
    if (statement === undefined) throw new Error('There is one of each query')
    const { rows } = await database.db.executeQuery<{ id: string }>(
      profilesQuery(statement, sets, { text: 'select id from members order by id' }) as CompiledQuery<{ id: string }>,
    )
    const right = sampled.filter(([, each]) => meetsQuery(query, each, { asOf, queryOf })).map(([id]) => id)
    expect(rows.map(({ id }) => id)).toEqual(right.toSorted())
  }
})

test('a statement for given profiles returns exactly those of them that a plain evaluation finds', async () => {
  const { workspace, profiles } = data
  const random = createRandom(seed + 2)
  const queryOf = (): undefined => undefined
  const some = [...profiles.keys()].filter((_, index) => index % 2 === 0)
  const deps = { db: database.db, profileLedger: createProfileLedger(database.db) }
  const people = await readPeople(deps, workspace, [...some, newId()])
  expect(people.map(({ id }) => id).toSorted()).toEqual(some.toSorted())
  const events = randomEventQueries(random, eventsOfBatch)
  const queries = Array.from({ length: 100 }, () => randomAudience(random, { audiences: ['gone'], events }))
  const compiler = createCompiler({ workspaceId: workspace, asOf, queryOf, people })
  const statement = compiler.addAll(queries)
  const asked = compiler.events()
  const options = { workspaceId: newId(), slot: 'short', signal: new AbortController().signal } as const
  const sets = asked === undefined ? noSets : await runEvents(eventStore, asked, options)
  const { rows } = await database.db.executeQuery<{ id: string; met: boolean[] }>(
    profilesQuery(statement, sets, { text: 'select id, met from members' }) as CompiledQuery<{
      id: string
      met: boolean[]
    }>,
  )
  expect(rows.map(({ id }) => id).toSorted()).toEqual(some.toSorted())
  for (const { id, met } of rows) {
    const profile = profiles.get(id)
    const right = queries.map((query) => profile !== undefined && meetsQuery(query, profile, { asOf, queryOf }))
    expect(met).toEqual(right)
  }
})
