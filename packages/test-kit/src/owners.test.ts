import { placeholderGroups } from '@tributary/contract'
import { newId, noMetrics, silentLogger } from '@tributary/kernel'
import { createLearning, createOwnersProjection, createProfileLedger } from '@tributary/profiles'
import type { EventStore } from '@tributary/storage'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { createTestEventStore, type TestEventStore } from './event-store.ts'

let eventStore: TestEventStore
let database: TestDatabase
let workspace: string
let other: string

beforeAll(async () => {
  eventStore = await createTestEventStore()
})
afterAll(() => eventStore.close())
beforeEach(async () => {
  database = await createTestDatabase()
  await eventStore.command('truncate table events')
  await eventStore.command('truncate table profile_owners')
  const organization = newId()
  ;[workspace, other] = [newId(), newId()]
  await database.db.insertInto('organizations').values({ id: organization, title: 'Acme' }).execute()
  await database.db
    .insertInto('workspaces')
    .values([workspace, other].map((id) => ({ id, organization_id: organization, title: 'W' })))
    .execute()
})
afterEach(() => database.close())

const sourceId = newId()
let serial = 0

type Ids = { userId?: string; anonymousId?: string }

/** Stores events of a workspace, and updates profiles from them. */
const receive = async (workspaceId: string, ...events: (Ids & Record<string, unknown>)[]): Promise<void> => {
  const made = events.map((given) => ({ eventId: `0-${++serial}-0`, type: 'track', ...given }))
  const receivedAt = new Date(1_700_000_000_000 + serial).toISOString()
  const rows = made.map(({ eventId, userId = '', anonymousId = '' }) =>
    JSON.stringify({
      workspace_id: workspaceId,
      source_id: sourceId,
      event_id: eventId,
      user_id: userId,
      anonymous_id: anonymousId,
      status: 'accepted',
    }),
  )
  await eventStore.insert('events', rows, { token: newId() })
  await createLearning({ db: database.db, metrics: noMetrics })(
    made.map((event) => ({
      workspaceId,
      sourceId,
      eventId: event.eventId,
      json: JSON.stringify({ ...event, context: {}, receivedAt, timestamp: receivedAt }),
    })),
  )
}

const split = async (type: string, value: string): Promise<void> => {
  const [row] = await database.db
    .selectFrom('profile_identifiers')
    .select('profile_id')
    .where('type', '=', type)
    .where('value', '=', value)
    .execute()
  const request = {
    profileId: row?.profile_id ?? '',
    identifiers: [{ type, value }],
    actorId: newId(),
    time: new Date(),
  }
  expect(
    await database.db.transaction().execute((tx) => createProfileLedger(database.db).split(tx, workspace, request)),
  ).toHaveProperty('made')
}

const project = async (store: Pick<EventStore, 'query' | 'insert' | 'command'> = eventStore): Promise<void> => {
  const projection = createOwnersProjection({ db: database.db, eventStore: store, logger: silentLogger })
  try {
    await projection.catchUp()
  } finally {
    await projection.stop()
  }
}

/** The owner of each event from the event store alone, and from the profiles in PostgreSQL. */
const owners = async (workspaceId: string): Promise<{ stored: string[]; right: string[] }> => {
  const events = await eventStore.query<{ user_id: string; anonymous_id: string; profile: string }>(
    `select user_id, anonymous_id, toString(if(joined.profile = 0, owner, joined.profile)) as profile
     from (select * , owner from events where workspace_id = {workspace:String}) as e
     left join (select owner, argMax(profile, version) as profile from profile_owners
       where workspace_id = {workspace:String} and owner != 0 group by owner) as joined using owner order by event_id`,
    { workspace: workspaceId },
  )
  const known = await database.db
    .selectFrom('profile_identifiers')
    .select(['type', 'value', 'profile_id'])
    .where('workspace_id', '=', workspaceId)
    .execute()
  const right = events.map(({ user_id, anonymous_id }) => {
    const found = known.find(({ type, value }) =>
      user_id === '' ? type === 'anonymous_id' && value === anonymous_id : type === 'user_id' && value === user_id,
    )
    return BigInt(`0x${found?.profile_id.replaceAll('-', '').slice(0, 16) ?? '0'}`).toString()
  })
  return { stored: events.map(({ profile }) => profile), right }
}

const expectRight = async (workspaceId = workspace): Promise<string[]> => {
  const { stored, right } = await owners(workspaceId)
  expect(right.length).toBeGreaterThan(0)
  expect(stored).toEqual(right)
  return stored
}

const values = [
  'u',
  '',
  ' ',
  '\t\r\n',
  'null',
  ' NULL ',
  'Undefined',
  'none',
  'nil',
  'NaN',
  'n/a',
  'N/A',
  'unknown',
  'un\u212anown',
  'anonymous',
  'anonymou\u017f',
  'guest',
  'guests',
  'true',
  'false',
  '-1',
  '-2',
  '0',
  '00000000-0000-0000-0000-000000000000',
  '[object Object]',
  'object Object',
  '\u00a0null',
  'null\u2028',
  'NULL\n',
  'x'.repeat(512),
  'x'.repeat(513),
  '\u00e9'.repeat(256),
  '\u00e9'.repeat(257),
  'a\0b',
  'a\ufffdb',
  "quote ' and \\ and {x:String} and \u{1f600}",
  '"null"',
  "'NULL'",
  '"null\'',
  '"',
  '""',
  "''null''",
  '" null"',
  '"0-0"',
  'nat',
  'ida',
  'map',
  'n.a',
  '{a}',
  ...placeholderGroups.flatMap((group) => group.values),
  ...placeholderGroups.flatMap((group) => group.values.map((value) => ` "${value.toUpperCase()}"`)),
]

test('the event store and the profiles compute the same owner of an event for any IDs, and none if there is no profile', async () => {
  const ids = values.flatMap((value) => [{ userId: value, anonymousId: 'a' }, { anonymousId: value }])
  await receive(workspace, ...ids)
  const known = await database.db.selectFrom('profile_identifiers').select(['type', 'value']).execute()
  const of = (type: string, value: string) => known.find((each) => each.type === type && each.value === value)
  const events = await eventStore.query<{ user_id: string; anonymous_id: string; owner: string }>(
    'select user_id, anonymous_id, toString(owner) as owner from events',
  )
  expect(events).toHaveLength(ids.length)
  const { ownerOf } = createProfileLedger(database.db)
  for (const { user_id, anonymous_id, owner } of events) {
    const found = of('user_id', user_id) ?? of('anonymous_id', anonymous_id)
    expect(owner, JSON.stringify([user_id, anonymous_id])).toBe(found === undefined ? '0' : ownerOf(workspace, found))
  }
  expect(known.map(({ value }) => value)).toEqual(expect.arrayContaining(['a', 'u', 'guests', '-2', 'x'.repeat(512)]))
})

test('the same ID has different owners in different workspaces', async () => {
  for (const id of [workspace, other]) await receive(id, { userId: 'u' })
  const rows = await eventStore.query<{ owner: string }>('select distinct toString(owner) as owner from events')
  expect(rows).toHaveLength(2)
})

test('after merges and splits, in any number of steps, each stored event belongs to the profile with its identifier', async () => {
  await receive(workspace, { anonymousId: 'a' }, { userId: 'u' }, { anonymousId: 'b' })
  await project()
  expect(new Set(await expectRight()).size).toBe(3)
  await receive(workspace, { userId: 'u', anonymousId: 'a' })
  await project()
  expect(new Set(await expectRight()).size).toBe(2)
  // Two merges and a split before the next projection.
  await receive(
    workspace,
    { userId: 'u', anonymousId: 'b' },
    { userId: 'v' },
    { type: 'alias', userId: 'v', previousId: 'u' },
  )
  await split('anonymous_id', 'b')
  await project()
  expect(new Set(await expectRight()).size).toBe(2)
  // The identifier with which the profile began leaves it.
  await split('anonymous_id', 'a')
  await project()
  expect(new Set(await expectRight()).size).toBe(3)
  // An identifier that joined earlier leaves.
  await split('user_id', 'v')
  await project()
  expect(new Set(await expectRight()).size).toBe(4)
})

test('a deleted user leaves no row, and a user who returns is a new owner', async () => {
  await receive(workspace, { anonymousId: 'a' }, { userId: 'u' }, { userId: 'u', anonymousId: 'a' }, { userId: 'v' })
  await receive(workspace, { userId: 'v', anonymousId: 'b' })
  await project()
  const [before] = await expectRight()
  const request = {
    requestId: newId(),
    identifiers: [{ type: 'user_id', value: 'u' }],
    erases: true,
    suppresses: false,
    actorId: newId(),
    time: new Date(1_700_000_000_000 + serial),
  }
  await database.db.transaction().execute((tx) => createProfileLedger(database.db).forget(tx, workspace, request))
  await eventStore.command(
    `alter table events delete where user_id = 'u' or anonymous_id = 'a' settings mutations_sync = 1`,
  )
  await project()
  const rows = 'select distinct toString(profile) as profile from profile_owners where owner != 0'
  expect(await eventStore.query(rows)).toHaveLength(1)
  await receive(workspace, { userId: 'u' }, { userId: 'u', anonymousId: 'c' })
  await project()
  const after = await expectRight()
  expect(after).not.toContain(before)
  expect(new Set(after).size).toBe(2)
})

test('a lost table of owners is rebuilt, and a table that belongs to a different ledger is replaced', async () => {
  await receive(workspace, { anonymousId: 'a' }, { userId: 'u', anonymousId: 'a' })
  await receive(other, { anonymousId: 'a' }, { userId: 'u', anonymousId: 'a' })
  await project()
  await eventStore.command('truncate table profile_owners')
  await project()
  await expectRight()
  await expectRight(other)
  // A different database: no profiles were merged in one workspace, and the other workspace does not exist.
  await database.pool.query('delete from identity_ledgers')
  await receive(workspace, { userId: 'u' }, { anonymousId: 'a' }, { anonymousId: 'c' })
  await project()
  expect(new Set(await expectRight()).size).toBe(3)
  expect(await eventStore.query('select distinct workspace_id from profile_owners')).toEqual([])
})

test('while the event store is unavailable, profiles are still updated, and it catches up afterwards', async () => {
  let away = true
  const store: Pick<EventStore, 'query' | 'insert' | 'command'> = {
    ...eventStore,
    insert: (...call) => (away ? Promise.reject(new Error('away')) : eventStore.insert(...call)),
  }
  const projection = createOwnersProjection({ db: database.db, eventStore: store, logger: silentLogger, everyMs: 1 })
  projection.start()
  await receive(workspace, { anonymousId: 'a' }, { userId: 'u', anonymousId: 'a' })
  await expect(projection.catchUp()).rejects.toThrow('away')
  away = false
  await projection.catchUp()
  await projection.stop()
  await expectRight()
})

test('a late write of an outdated state is discarded', async () => {
  await receive(workspace, { anonymousId: 'a' }, { userId: 'u' }, { userId: 'u', anonymousId: 'a' })
  const written = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  const late = createOwnersProjection({
    db: database.db,
    eventStore: {
      ...eventStore,
      async insert(...call) {
        reached.resolve()
        await written.promise
        await eventStore.insert(...call)
      },
    },
    logger: silentLogger,
  })
  const writing = late.catchUp()
  await reached.promise
  await split('user_id', 'u')
  await project()
  written.resolve()
  await writing
  await late.stop()
  expect(new Set(await expectRight()).size).toBe(2)
})
