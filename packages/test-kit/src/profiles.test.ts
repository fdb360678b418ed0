import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createWorkShare, newId, type WorkShare } from '@tributary/kernel'
import { createProfileLedger, createProfiles, rebuildProfiles } from '@tributary/profiles'
import type { Consumer } from '@tributary/storage'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { createTestEventStore, type TestEventStore } from './event-store.ts'
import { consumerDeps, createStreamWorld } from './people-world.ts'

const all = [0, 1, 2, 3]
/** The source ID of a workspace: its ID with another first digit. */
const sourceOf = (workspaceId: string): string => `5${workspaceId.slice(1)}`

let eventStore: TestEventStore
let database: TestDatabase
let world: Awaited<ReturnType<typeof createStreamWorld>>
let workspaces: string[]
let consumers: Consumer[]

beforeAll(async () => {
  eventStore = await createTestEventStore()
})
afterAll(() => eventStore.close())
beforeEach(async () => {
  database = await createTestDatabase()
  await eventStore.command('truncate table events')
  world = await createStreamWorld(eventStore)
  consumers = []
  const organization = newId()
  await database.db.insertInto('organizations').values({ id: organization, title: 'Acme' }).execute()
  workspaces = Array.from({ length: 3 }, newId)
  await database.db
    .insertInto('workspaces')
    .values(workspaces.map((id) => ({ id, organization_id: organization, title: 'W' })))
    .execute()
})
afterEach(async () => {
  await Promise.all(consumers.map((consumer) => consumer.stop()))
  await world[Symbol.asyncDispose]()
  await database.close()
})

const [first, second] = [(): string => workspaces[0] ?? '', (): string => workspaces[1] ?? '']

const open = (more: Partial<Parameters<typeof createProfiles>[0]> = {}): Consumer => {
  const consumer = createProfiles({
    ...consumerDeps(world.readers, eventStore, () => world.pipeline.idle()),
    db: database.db,
    settings: { readBytes: 2000, commitMs: 5, retryBaseMs: 5, retryCapMs: 50 },
    ...more,
  })
  consumers.push(consumer)
  return consumer
}

let messages = 0
const send = async (workspaceId: string, ...events: object[]): Promise<void> => {
  const batch = events.map((event) => ({ type: 'track', event: 'Seen', messageId: `m-${messages++}`, ...event }))
  await world.sendEvents(workspaceId, sourceOf(workspaceId), batch)
}

/** Processes all events that were sent. */
const settle = async (consumer: Consumer): Promise<void> => {
  await world.pipeline.idle()
  await consumer.idle()
}
const handleAll = async (): Promise<void> => {
  const consumer = open()
  consumer.give(all)
  await settle(consumer)
}

/** The identifiers of each profile of a workspace. */
const profilesOf = async (workspaceId: string): Promise<string[]> => {
  const { rows } = await database.pool.query<{ text: string }>(
    `select string_agg(type || ':' || value, ' ' order by type, value) as text from profile_identifiers
     where workspace_id = $1 group by profile_id`,
    [workspaceId],
  )
  return rows.map(({ text }) => text).toSorted()
}

const tables = ['identity_operations', 'profiles', 'profile_identifiers', 'profile_identifiers_apart'] as const
const traitTables = ['profile_traits', 'profile_trait_sets'] as const
const dump = async (): Promise<string[]> => {
  const texts = tables.map(async (table) => {
    const { rows } = await database.pool.query<{ row: string }>(`select t::text as row from ${table} t order by 1`)
    return rows.map(({ row }) => `${table} ${row}`)
  })
  return (await Promise.all(texts)).flat()
}

/** Events of people with a user ID, three devices and a shop ID each; every event contains only some of them. */
const visits = (count: number, salt: number): { workspaceId: string; event: object; person: number }[] =>
  Array.from({ length: count }, (_, n) => {
    const number = n * 7919 + salt * 104_729
    const person = number % 20
    const anonymousId = `a-${person}-${number % 3}`
    const user = (number >> 3) % 2 === 0 ? { userId: `u-${person}` } : {}
    const context = (number >> 4) % 3 === 0 ? { externalIds: [{ id: `c-${person}`, type: 'shop' }] } : {}
    return { workspaceId: workspaces[person % 3] ?? '', person, event: { anonymousId, ...user, context } }
  })

/** The expected profiles: identifiers that occur together belong together. */
const expectedOf = (workspaceId: string, seen: ReturnType<typeof visits>): string[] => {
  const groups: Set<string>[] = []
  for (const { workspaceId: of, event } of seen) {
    if (of !== workspaceId) continue
    const { userId, anonymousId, context } = event as Record<string, string> & {
      context: { externalIds?: { id: string }[] }
    }
    const keys = [`anonymous_id:${anonymousId}`]
    if (userId !== undefined) keys.push(`user_id:${userId}`)
    for (const { id } of context.externalIds ?? []) keys.push(`shop:${id}`)
    const met = groups.filter((group) => keys.some((key) => group.has(key)))
    for (const group of met) groups.splice(groups.indexOf(group), 1)
    groups.push(new Set([...keys, ...met.flatMap((group) => [...group])]))
  }
  return groups.map((group) => [...group].toSorted().join(' ')).toSorted()
}

const script = fileURLToPath(new URL('./profiles-process.ts', import.meta.url))
const run = async (...fault: string[]): Promise<void> => {
  await promisify(execFile)(process.execPath, [script, world.dir, eventStore.url, database.url, ...fault])
}

test('after any kill, profiles match the events, and can be rebuilt from the ledger alone', async () => {
  const seen: ReturnType<typeof visits> = []
  let salt = 0
  const more = async (): Promise<void> => {
    const next = visits(60, ++salt)
    seen.push(...next)
    await Promise.all(next.map(({ workspaceId, event }) => send(workspaceId, event)))
    await world.pipeline.idle()
  }
  await more()
  // Removes the stream, so that earlier events are read from the event store.
  await trimAll()
  for (const [point, pass] of [
    ['profiles.before-commit', '2'],
    ['consumer.before-commit', '2'],
    ['consumer.after-handle', '2'],
    ...(Number(process.env.SOAK_ROUNDS ?? 0) > 0 ? ([['profiles.before-commit', '1']] as const) : []),
  ] as const) {
    await more()
    await expect(run(point, pass)).rejects.toMatchObject({ signal: 'SIGKILL' })
  }
  await run()
  for (const workspaceId of workspaces) expect(await profilesOf(workspaceId)).toEqual(expectedOf(workspaceId, seen))
  const before = await dump()
  expect(before.length).toBeGreaterThan(100)
  for (const workspaceId of workspaces) expect(await rebuildProfiles(database.db, workspaceId)).toBeGreaterThan(10)
  expect(await dump()).toEqual(before)
  // Each kill needs its own process.
}, 180_000)

test('partitions move between consumers under load, and nothing is learned twice or missed', async () => {
  const seen = visits(300, 50)
  const [one, other] = [open(), open()]
  const sending = (async () => {
    for (let at = 0; at < seen.length; at += 10)
      await Promise.all(seen.slice(at, at + 10).map(({ workspaceId, event }) => send(workspaceId, event)))
  })()
  one.give(all)
  for (let move = 0; move < 8; move++) {
    const [from, to] = move % 2 === 0 ? [one, other] : [other, one]
    await from.take(all)
    to.give(all)
  }
  await sending
  await settle(one)
  for (const workspaceId of workspaces) expect(await profilesOf(workspaceId)).toEqual(expectedOf(workspaceId, seen))
  const ids = (await database.db.selectFrom('profile_identifiers').select(['type', 'value']).execute()).length
  const made = await database.db
    .selectFrom('identity_operations')
    .select('kind')
    .where('kind', 'in', ['create', 'link'])
    .execute()
  expect(made.length).toBe(ids)
})

test('while PostgreSQL rejects every connection, the consumer waits; then it catches up', async () => {
  const name = database.url.match(/\/(test_\w+)/)?.[1] ?? ''
  await using admin = await createTestDatabase()
  const consumer = open()
  consumer.give(all)
  await send(first(), { userId: 'before' })
  await settle(consumer)
  await admin.pool.query(`alter database ${name} with allow_connections false`)
  await admin.pool.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  await send(first(), { userId: 'meanwhile' })
  await world.pipeline.idle()
  let handled = false
  const idle = consumer.idle().then(() => {
    handled = true
  })
  await send(first(), { userId: 'later' })
  await world.pipeline.idle()
  expect(handled).toBe(false)
  await admin.pool.query(`alter database ${name} with allow_connections true`)
  await idle
  await settle(consumer)
  expect(await profilesOf(first())).toEqual(['user_id:before', 'user_id:later', 'user_id:meanwhile'])
})

const traitsOf = async (): Promise<Record<string, string | null>> => {
  const rows = await database.db.selectFrom('profile_traits').select(['name', 'value']).orderBy('name').execute()
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}
const identify = (traits: object, timestamp?: string): object => ({
  type: 'identify',
  userId: 'u',
  traits,
  ...(timestamp === undefined ? {} : { timestamp }),
})

/** Copies all tables of profiles; the returned function restores them, like a restore of a database backup. */
const backUp = async (): Promise<() => Promise<void>> => {
  const restored = ['identity_ledgers', 'identity_places', ...traitTables, ...tables]
  for (const table of restored) await database.pool.query(`create table ${table}_before as table ${table}`)
  return async () => {
    await database.pool.query(`begin; ${restored.map((table) => `delete from ${table};`).join(' ')}
      ${restored.map((table) => `insert into ${table} select * from ${table}_before;`).join(' ')} commit`)
  }
}
const trimAll = async (): Promise<void> =>
  world.stream.trim((await world.readers.stream.ends()).map((offset, partition) => ({ partition, offset })))

/** Advances the stream until it no longer contains the current position of profiles. */
const outgrow = async (): Promise<void> => {
  for (let n = 0; n < 40; n++)
    await send(workspaces[2] ?? '', { userId: 'filler', properties: { text: 'x'.repeat(2000) } })
  await world.pipeline.idle()
  await trimAll()
  const starts = await world.readers.stream.starts()
  const kept = await database.db.selectFrom('identity_places').select(['partition', 'next']).execute()
  expect(kept.filter(({ partition, next }) => (starts[partition] ?? 0) > Number(next))).not.toEqual([])
}

test.each([
  ['while the stream has what came since', async () => {}],
  ['when only stored events tell what came since', outgrow],
])('a restored database gets its lost data again at the next start, %s', async (_, lose) => {
  await send(first(), { userId: 'u1', anonymousId: 'a1' })
  await send(second(), identify({ plan: 'free' }))
  await handleAll()
  await consumers.at(-1)?.stop()
  const restore = await backUp()
  const before = consumers.length
  await send(first(), { userId: 'u1', anonymousId: 'a2' }, { userId: 'u2' })
  await send(second(), identify({ plan: 'team' }))
  await handleAll()
  await consumers.at(before)?.stop()
  await restore()
  expect(await profilesOf(first())).toEqual(['anonymous_id:a1 user_id:u1'])
  await lose()
  await handleAll()
  expect(await profilesOf(first())).toEqual(['anonymous_id:a1 anonymous_id:a2 user_id:u1', 'user_id:u2'])
  expect(await traitsOf()).toEqual({ plan: '"team"' })
})

test('a database that is restored while a consumer runs gets its lost data again with the next new fact', async () => {
  const consumer = open()
  consumer.give(all)
  await send(first(), { userId: 'u1' })
  await settle(consumer)
  const restore = await backUp()
  await send(first(), { userId: 'u2' }, { userId: 'u1', anonymousId: 'a1' })
  await settle(consumer)
  await restore()
  await send(first(), { userId: 'u3' })
  await settle(consumer)
  expect(await profilesOf(first())).toEqual(['anonymous_id:a1 user_id:u1', 'user_id:u2', 'user_id:u3'])
})

test('a database that lost everything gets everything again', async () => {
  await send(first(), { userId: 'u1', anonymousId: 'a1' })
  await handleAll()
  await consumers.at(-1)?.stop()
  for (const table of ['identity_ledgers', 'identity_places']) await database.pool.query(`delete from ${table}`)
  expect(await dump()).toEqual([])
  await handleAll()
  expect(await profilesOf(first())).toEqual(['anonymous_id:a1 user_id:u1'])
})

test('an event that linked identifiers before a split is rejected when it is repeated, and the ledger has the rejection', async () => {
  const consumer = open()
  consumer.give(all)
  const visit = { userId: 'u', anonymousId: 'a' }
  await send(first(), visit)
  await settle(consumer)
  const { id } = await database.db.selectFrom('profiles').select('id').executeTakeFirstOrThrow()
  const request = {
    profileId: id,
    identifiers: [{ type: 'anonymous_id', value: 'a' }],
    actorId: newId(),
    time: new Date(),
  }
  await database.db.transaction().execute((tx) => createProfileLedger(database.db).split(tx, first(), request))
  await send(first(), visit)
  await settle(consumer)
  const refusals = await database.db
    .selectFrom('identity_operations')
    .select(['type', 'value', 'reason'])
    .where('kind', '=', 'refuse')
    .execute()
  expect(refusals).toEqual([{ type: 'anonymous_id', value: 'a', reason: 'split' }])
  expect(await profilesOf(first())).toEqual(['anonymous_id:a', 'user_id:u'])
})

test('deleting a workspace removes everything about its people, and nothing of other workspaces', async () => {
  for (const workspace of [first, second])
    await send(workspace(), { type: 'identify', userId: 'u', anonymousId: 'a', traits: { a: 1 } })
  await handleAll()
  await database.db.deleteFrom('workspaces').where('id', '=', first()).execute()
  for (const table of ['identity_ledgers', ...traitTables, ...tables]) {
    const { rows } = await database.pool.query<{ id: string }>(`select distinct workspace_id as id from ${table}`)
    expect(
      rows.filter(({ id }) => id !== second()),
      table,
    ).toEqual([])
  }
  expect(await profilesOf(second())).toEqual(['anonymous_id:a user_id:u'])
})

test('profiles never span workspaces, and events of a deleted workspace are skipped', async () => {
  await send(first(), { userId: 'u', anonymousId: 'a' })
  await send(second(), { userId: 'v', anonymousId: 'a' })
  await send(newId(), { userId: 'u', anonymousId: 'a' })
  await handleAll()
  expect(await profilesOf(first())).toEqual(['anonymous_id:a user_id:u'])
  expect(await profilesOf(second())).toEqual(['anonymous_id:a user_id:v'])
})

test('a merge is recorded with the event that caused it', async () => {
  await send(first(), { anonymousId: 'a' }, { userId: 'u' }, { userId: 'u', anonymousId: 'a', messageId: 'cause' })
  await handleAll()
  const [merge] = await database.db.selectFrom('identity_operations').selectAll().where('kind', '=', 'merge').execute()
  const [event] = await eventStore.query<{ event_id: string }>(`select event_id from events where message_id = 'cause'`)
  expect(merge).toMatchObject({
    event_id: event?.event_id,
    source_id: sourceOf(first()),
    type: 'anonymous_id',
    by_type: 'user_id',
  })
  const merged = await database.db
    .selectFrom('profiles')
    .select('merged_into')
    .where('id', '=', merge?.other_id ?? '')
    .execute()
  expect(merged).toEqual([{ merged_into: merge?.profile_id }])
})

test('a trait has its latest value by time in any order; a time in year 9999 does not win forever, one in year 1 becomes the time of receipt', async () => {
  const consumer = open()
  consumer.give(all)
  await send(first(), identify({ a: 'future', b: 1, c: 'late' }, '9999-01-01T00:00:00Z'))
  await settle(consumer)
  await send(
    first(),
    identify({ c: 'early' }, '2020-01-01T00:00:00Z'),
    identify({ c: 'first' }, '0001-01-01T00:00:00Z'),
  )
  await send(first(), identify({ a: 'now', b: 'text' }))
  await settle(consumer)
  // A time outside of the calendar counts as absent: the time of receipt is used.
  expect(await traitsOf()).toEqual({ a: '"now"', b: '"text"', c: '"first"' })
})

test('of ten thousand traits of one person, five hundred are kept, and the profile records that there were more', async () => {
  for (let n = 0; n < 20; n++)
    await send(first(), identify(Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`t${n * 500 + at}`, at]))))
  await handleAll()
  // One more trait, alone and beside a known one.
  await send(first(), identify({ more: 1 }), identify({ t0: 'new', more: 2 }))
  await handleAll()
  const traits = await traitsOf()
  expect(Object.keys(traits)).toHaveLength(501)
  expect(traits).toMatchObject({ '': null, t0: '"new"' })
})

test('a trait with a changed type has the type of its last value', async () => {
  const consumer = open()
  consumer.give(all)
  for (const [n, value] of [1, 'text', { nested: true }, [1], null, false].entries()) {
    await send(first(), identify({ seats: value }, `2026-01-0${n + 1}T00:00:00Z`))
    await settle(consumer)
    expect(await traitsOf()).toEqual({ seats: JSON.stringify(value) })
  }
})

test('an event with a trait of 1 MB is rejected, and changes nothing', async () => {
  await send(first(), identify({ bio: 'x'.repeat(1024 * 1024), plan: 'team' }))
  await handleAll()
  const [event] = await eventStore.query<{ status: string }>('select status from events')
  expect(event?.status).toBe('rejected')
  expect(await traitsOf()).toEqual({})
  expect(await profilesOf(first())).toEqual([])
})

test('a trait that is too large is recorded without its value, until a smaller one comes', async () => {
  const consumer = open()
  consumer.give(all)
  await send(first(), identify({ bio: 'x'.repeat(9000) }))
  await settle(consumer)
  expect(await traitsOf()).toEqual({ bio: null })
  await send(first(), identify({ bio: 'short' }))
  await settle(consumer)
  expect(await traitsOf()).toEqual({ bio: '"short"' })
})

test('text that no table can store changes nothing and does not stop the consumer', async () => {
  await send(
    first(),
    { userId: 'a\0b', anonymousId: 'a' },
    { userId: '\ud800', anonymousId: 'b' },
    { type: 'group', userId: 'u', groupId: '\0', traits: { '\0': '\0', ok: '\ud800' } },
    { type: 'alias', userId: 'u', previousId: '\0' },
  )
  await handleAll()
  expect(await profilesOf(first())).toEqual(['anonymous_id:a', 'anonymous_id:b', 'user_id:u'])
})

test('thread time for events of a workspace is charged to that workspace, and to no other', async () => {
  // Nothing is paid back, and each piece of work takes a millisecond.
  let worked = 0
  const workShare = createWorkShare(
    { freeMs: 0, burstMs: 0 },
    () => 0,
    () => ++worked,
  )
  await send(first(), { userId: 'u-1', anonymousId: 'a-1' }, { userId: 'u-1', context: { traits: { plan: 'pro' } } })
  const consumer = open({ workShare })
  consumer.give(all)
  await settle(consumer)
  expect([workShare.wait(first()) > 0, workShare.remembered()]).toEqual([true, 1])
})

test('events of a workspace that exceeded its share are handled after those of others, and none is lost', async () => {
  const order: string[] = []
  const share = createWorkShare()
  const workShare: WorkShare = {
    ...share,
    wait: (key) => (key === first() ? 20 : 0),
    run: (key, work, pieces) => {
      order.push(key)
      return share.run(key, work, pieces)
    },
  }
  const consumer = open({ workShare })
  consumer.give(all)
  await settle(consumer)
  // Events that arrive while it has no partition become one batch.
  await consumer.take(all)
  for (const [index, workspaceId] of [first(), second()].entries())
    await world.sendEvents(
      workspaceId,
      sourceOf(workspaceId),
      [{ type: 'track', event: 'E', userId: `u-${index + 1}`, messageId: `s-${index}` }],
      1,
    )
  await world.pipeline.idle()
  consumer.give(all)
  await settle(consumer)
  expect([...new Set(order)]).toEqual([second(), first()])
  expect(await profilesOf(first())).toEqual(['user_id:u-1'])
  expect(await profilesOf(second())).toEqual(['user_id:u-2'])
})
