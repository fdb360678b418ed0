// Values in memory while changes of profiles are published.
import { newId, noMetrics, silentLogger } from '@tributary/kernel'
import { createCoordinationHub, openPostgresLink } from '@tributary/storage'
import { createTestDatabase, type TestDatabase } from '@tributary/test-kit'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createForgottenUsers, createLearning, createProfileLedger, rebuildProfiles } from '../index.ts'
import { type ChangedProfiles, createProfileChanges, type ProfileChanges } from './changes.ts'
import { followProfilePositions, type ProfilePositions, publishProfilePositions } from './positions.ts'
import { createProfileValues } from './profile-values.ts'

const sourceId = newId()
let database: TestDatabase
let workspaceId: string
let now: number
let queries: number
let number: number
/** The offset before which profiles have read both partitions. */
let read: number
let changes: ProfileChanges
let learning: ReturnType<typeof createLearning>
let forgotten: ReturnType<typeof createForgottenUsers>
let isLost: boolean
/** Whether the deletions can be read. */
let canRefresh: boolean
const listeners: ((message: unknown) => void)[] = []
const stops: (() => void)[] = []

const journal = { positions: () => new Map([0, 1].map((each) => [each, read])), notes: () => new Map() }
const start = (): void => {
  const publish = (_: string, message: unknown): void => {
    // Messages between processes are JSON.
    const text = JSON.stringify(message)
    if (!isLost) for (const listener of listeners) listener(JSON.parse(text))
  }
  stops.push(publishProfilePositions({ publish }, journal, changes))
}
/** Lets time pass for publishers, and for the clock. */
const pass = (ms: number): void => {
  now += ms
  vi.advanceTimersByTime(ms)
}

beforeEach(async () => {
  database = await createTestDatabase()
  const organization = newId()
  workspaceId = newId()
  await database.db.insertInto('organizations').values({ id: organization, title: 'Acme' }).execute()
  await database.db
    .insertInto('workspaces')
    .values({ id: workspaceId, organization_id: organization, title: 'W' })
    .execute()
  now = 1_767_225_600_000
  ;[queries, number, read, isLost, canRefresh] = [0, 0, 1, false, true]
  changes = createProfileChanges()
  learning = createLearning({ db: database.db, metrics: noMetrics, changes })
  forgotten = createForgottenUsers({ db: database.db, keepMs: 86_400_000, clock: () => now })
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  start()
})
afterEach(async () => {
  for (const stop of stops.splice(0)) stop()
  listeners.length = 0
  vi.useRealTimers()
  await database.close()
})

type Who = { userId?: string; anonymousId?: string }
/** Lets profiles read an event, a second after the last one. Its position is published with the next message. */
const learn = async (who: Who, traits: object, more: { learning?: typeof learning; context?: object } = {}) => {
  number++
  const eventId = `0-${String(number).padStart(6, '0')}-0`
  const time = new Date(1_767_225_600_000 + number * 1000).toISOString()
  const times = { receivedAt: time, timestamp: time }
  const json = JSON.stringify({ eventId, type: 'identify', ...who, traits, context: more.context ?? {}, ...times })
  await (more.learning ?? learning)([{ workspaceId, sourceId, eventId, json }], { partition: 0 })
  read++
}

const follow = (): ProfilePositions =>
  followProfilePositions(
    {
      subscribe: (_, listener) => {
        listeners.push(listener)
        return () => {}
      },
    },
    () => now,
  )

const open = (positions = follow(), onQuery: () => Promise<void> = async () => {}) => {
  const db = database.db.withPlugin({
    transformQuery: ({ node }) => {
      queries++
      return node
    },
    transformResult: async ({ result }) => {
      await onQuery()
      return result
    },
  })
  return createProfileValues({ db, positions, forgotten, clock: () => now })
}
type Values = ReturnType<typeof open>

const needs = ['identifiers.anonymous_id', 'traits.email', 'traits.orders']
/** Returns the email with which an event of the user is mapped, or why there is none. */
const email = async (values: Values, who: Who, offset = read - 1, partition = 0, needed = needs): Promise<string> => {
  if (canRefresh && forgotten.readAt() !== now) await forgotten.refresh()
  const [found] = await values.look(workspaceId, [who], needed, { partition, offset })
  return JSON.parse(found?.json ?? '').traits?.email ?? found?.lacks
}

const u1 = { userId: 'u1' }
/** Values after the time in which all profiles count as changed, with the profile of `u1` in memory. */
const opened = async (): Promise<Values> => {
  await learn(u1, { email: 'one@example.com' })
  const values = open()
  pass(10_100)
  await email(values, u1)
  queries = 0
  return values
}

test('values of an unchanged profile are used again without a query, for later events of any partition', async () => {
  const values = await opened()
  await learn({ userId: 'u2' }, { email: 'two@example.com' })
  pass(60_000)
  expect(await email(values, u1)).toBe('one@example.com')
  expect(await email(values, u1, read - 1, 1)).toBe('one@example.com')
  expect(queries).toBe(0)
  for (let minutes = 1; minutes < 10; minutes++) pass(60_000)
  await email(values, u1)
  expect(queries).toBe(1)
})

test('an event after a change gets the changed value, and never before profiles said that they read it', async () => {
  const values = await opened()
  await learn(u1, { email: 'new@example.com' })
  expect(values.hasRead(0, read - 1)).toBe(false)
  expect(await email(values, u1, read - 2)).toBe('one@example.com')
  expect(queries).toBe(0)
  pass(100)
  expect(values.hasRead(0, read - 1)).toBe(true)
  expect(await email(values, u1)).toBe('new@example.com')
  expect(queries).toBe(1)
})

test('an event that profiles have not read is never mapped with values in memory', async () => {
  const values = await opened()
  await learn(u1, { email: 'new@example.com' })
  pass(2000)
  isLost = true
  await learn(u1, { email: 'newer@example.com' })
  expect(await email(values, u1, read - 1)).toBe('newer@example.com')
})

test.each([1900, 60_000])('after a lost message, values are read again, also if it was %d ms ago', async (ms) => {
  const values = await opened()
  isLost = true
  await learn(u1, { email: 'new@example.com' })
  pass(100)
  isLost = false
  pass(ms)
  expect(await email(values, u1)).toBe('new@example.com')
})

test('two seconds after the last message, values are read again', async () => {
  const values = await opened()
  isLost = true
  pass(1999)
  await email(values, u1)
  expect(queries).toBe(0)
  pass(1)
  await email(values, u1)
  expect(queries).toBe(1)
})

test('three seconds after the deletions were last read, values are read again', async () => {
  const values = await opened()
  canRefresh = false
  pass(2999)
  await email(values, u1)
  expect(queries).toBe(0)
  pass(1)
  await email(values, u1)
  expect(queries).toBe(1)
})

test('after a restart of profiles, values are read again, because its last changes may be unpublished', async () => {
  const values = await opened()
  await learn(u1, { email: 'new@example.com' })
  for (const stop of stops.splice(0)) stop()
  changes = createProfileChanges()
  start()
  pass(100)
  expect(await email(values, u1)).toBe('new@example.com')
})

test('a repeated identify call changes nothing, and neither does another event of the user', async () => {
  const values = await opened()
  await learn(u1, { email: 'one@example.com' })
  await learn({ ...u1, anonymousId: 'a1' }, {})
  pass(100)
  await email(values, u1)
  // The new identifier is a change.
  expect(queries).toBe(1)
  await learn({ ...u1, anonymousId: 'a1' }, { email: 'one@example.com' })
  await learn({ ...u1, anonymousId: 'a1' }, {})
  pass(2100)
  expect(await email(values, u1)).toBe('one@example.com')
  expect(queries).toBe(1)
})

test('a merge reaches the values of both profiles', async () => {
  const values = await opened()
  await learn({ anonymousId: 'a1' }, { email: 'device@example.com' })
  pass(100)
  expect(await email(values, { anonymousId: 'a1' })).toBe('device@example.com')
  await learn({ ...u1, anonymousId: 'a1' }, {})
  pass(100)
  expect(await email(values, u1)).toBe('device@example.com')
  expect(await email(values, { anonymousId: 'a1' })).toBe('device@example.com')
})

test('a trait of several identifiers of a profile is read again after two seconds, because its times decide', async () => {
  const values = await opened()
  await learn({ anonymousId: 'a1' }, { email: 'device@example.com' })
  await learn({ ...u1, anonymousId: 'a1' }, {})
  pass(100)
  expect(await email(values, u1)).toBe('device@example.com')
  await learn(u1, { email: 'one@example.com' })
  pass(100)
  expect(await email(values, u1)).toBe('one@example.com')
  await email(values, u1)
  expect(queries).toBe(2)
  pass(2000)
  await email(values, u1)
  expect(queries).toBe(3)
})

test('values that audiences or consent decide are read again after two seconds', async () => {
  const values = await opened()
  for (const need of [`audiences.${newId()}`, 'consent']) {
    await email(values, u1, read - 1, 0, [...needs, need])
    const before = queries
    pass(2000)
    await email(values, u1, read - 1, 0, [...needs, need])
    expect(queries).toBeGreaterThan(before)
  }
})

test('a change that is published while values are read is in the next values', async () => {
  let isFirst = true
  await learn(u1, { email: 'one@example.com' })
  const values = open(follow(), async () => {
    if (!isFirst) return
    isFirst = false
    await learn(u1, { email: 'new@example.com' })
    pass(100)
  })
  pass(10_100)
  expect(await email(values, u1)).toBe('one@example.com')
  expect(await email(values, u1)).toBe('new@example.com')
})

test('a transaction that was committed although it failed changes its profile', async () => {
  let fails = true
  const wrote = (): void => {
    if (fails) throw new Error('The connection was lost after the commit')
  }
  const places = { write: async () => ({ wrote }) }
  const failing = createLearning({ db: database.db, metrics: noMetrics, changes, places })
  const values = await opened()
  const eventId = '0-000099-0'
  const time = new Date(now).toISOString()
  const event = { eventId, type: 'identify', ...u1, traits: { email: 'new@example.com' }, context: {} }
  const json = JSON.stringify({ ...event, receivedAt: time, timestamp: time })
  const reached = { partition: 0, place: { offset: read + 1, incarnation: undefined, note: '' } }
  const again = () => failing([{ workspaceId, sourceId, eventId, json }], reached)
  await expect(again()).rejects.toThrow('after the commit')
  fails = false
  await again()
  read++
  pass(100)
  expect(await email(values, u1)).toBe('new@example.com')
})

const actorId = newId()
const ledger = () => createProfileLedger(database.db)

test.each([
  ['deleted', true, false],
  ['suppressed', false, true],
])(
  'values of a %s user are gone when the deletion is known, although none was published',
  async (_, erases, suppresses) => {
    const values = await opened()
    const request = { requestId: newId(), identifiers: [{ type: 'user_id', value: 'u1' }], erases, suppresses }
    await database.db
      .transaction()
      .execute((tx) => ledger().forget(tx, workspaceId, { ...request, actorId, time: new Date(now) }))
    await forgotten.refresh()
    expect(await email(values, u1)).toBe('the profile is not known')
    if (erases) return
    const { rows } = await sql<{ hash: string }>`select hash from privacy_hashes`.execute(database.db)
    await database.db.transaction().execute((tx) => ledger().release(tx, workspaceId, rows[0]?.hash ?? ''))
    await forgotten.refresh()
    expect(await email(values, u1)).toBe('one@example.com')
  },
)

/** Returns the anonymous ID with which an event of the user is mapped. */
const device = async (values: Values, who: Who): Promise<unknown> => {
  const [found] = await values.look(workspaceId, [who], needs, { partition: 0, offset: read - 1 })
  return JSON.parse(found?.json ?? '').identifiers.anonymous_id
}

test('a rebuild by another process reaches the values within a second, without an event', async () => {
  await learn({ ...u1, anonymousId: 'a1' }, {})
  await sql`delete from profile_identifiers where type = 'anonymous_id'`.execute(database.db)
  const values = await opened()
  expect(await device(values, u1)).toBe(undefined)
  await rebuildProfiles(database.db, workspaceId)
  expect(await device(values, u1)).toBe(undefined)
  await forgotten.refresh()
  expect(await device(values, u1)).toBe('a1')
})

test('a split reaches the values of both profiles within a second, without an event', async () => {
  await learn({ ...u1, anonymousId: 'a1' }, {})
  const values = await opened()
  expect([await device(values, u1), await device(values, { anonymousId: 'a1' })]).toEqual(['a1', 'a1'])
  const { profile_id: profileId } = await database.db
    .selectFrom('profile_identifiers')
    .select('profile_id')
    .executeTakeFirstOrThrow()
  const identifiers = [{ type: 'anonymous_id', value: 'a1' }]
  await database.db
    .transaction()
    .execute((tx) => ledger().split(tx, workspaceId, { profileId, identifiers, actorId, time: new Date(now) }))
  await forgotten.refresh()
  expect([await device(values, u1), await device(values, { anonymousId: 'a1' })]).toEqual([undefined, 'a1'])
})

test('values that are used stay when the memory is full, and those that are not used go', async () => {
  const values = await opened()
  await learn({ userId: 'u2' }, { a: 'x'.repeat(8000), b: 'y'.repeat(8000) })
  pass(100)
  // Each combination of needs has its own entry.
  const fill = async (from: number): Promise<void> => {
    for (let n = from; n < from + 600; n++)
      await email(values, { userId: 'u2' }, 0, 0, ['traits.a', 'traits.b', `t${n}`])
  }
  for (const from of [0, 600, 1200, 1800]) {
    await fill(from)
    await email(values, u1)
  }
  expect(queries).toBe(2400)
  await fill(0)
  expect(queries).toBe(3000)
})

test('changes reach another process over PostgreSQL, and values are read again after its connection was cut', async () => {
  vi.useRealTimers()
  forgotten = createForgottenUsers({ db: database.db, keepMs: 86_400_000, clock: Date.now })
  const hubOf = async () =>
    createCoordinationHub({ link: await openPostgresLink({ url: database.url, logger: silentLogger, beatMs: 1000 }) })
  const [own, other] = [await hubOf(), await hubOf()]
  try {
    const positions = followProfilePositions(other.coordination)
    const received: ChangedProfiles[] = []
    positions.onChanged((changed) => void received.push(changed))
    stops.push(publishProfilePositions(own.coordination, journal, changes, 0))
    await learn(u1, { email: 'one@example.com' })
    const values = createProfileValues({ db: database.db, positions, forgotten, clock: Date.now })
    for (const address of ['new@example.com', 'newer@example.com']) {
      // As soon as two messages came one after the other.
      await expect.poll(() => positions.knownAt() > 0 && values.hasRead(0, read - 1)).toBe(true)
      await email(values, u1)
      await learn(u1, { email: address })
      if (address.startsWith('newer'))
        await sql`select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'tributary coordination'`.execute(database.db)
      await expect.poll(() => values.hasRead(0, read - 1), { timeout: 10_000 }).toBe(true)
      expect(await email(values, u1)).toBe(address)
      if (address.startsWith('new@'))
        expect(received.at(-1)).toEqual([expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}$/)])
    }
  } finally {
    for (const stop of stops.splice(0)) stop()
    await own.close()
    await other.close()
  }
})
