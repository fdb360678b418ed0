import { newId, noMetrics } from '@tributary/kernel'
import { createTestDatabase, type TestDatabase } from '@tributary/test-kit'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLearning } from '../index.ts'
import { createProfileValues } from './profile-values.ts'

const sourceId = newId()
let database: TestDatabase
let workspace: string
let statements: string[]
/** Bytes of the values that each query returned. */
let received: number[]
let next: number
let version: string
let now: number

const createWorkspace = async (): Promise<string> => {
  const [organization, id] = [newId(), newId()]
  await database.db.insertInto('organizations').values({ id: organization, title: 'Acme' }).execute()
  await database.db.insertInto('workspaces').values({ id, organization_id: organization, title: 'W' }).execute()
  return id
}

beforeEach(async () => {
  database = await createTestDatabase()
  workspace = await createWorkspace()
  statements = []
  received = []
  next = 0
  version = ''
  now = 1_767_225_600_000
})
afterEach(() => database.close())

let number = 0
const identify = (
  workspaceId: string,
  who: { userId?: string; anonymousId?: string },
  traits: Readonly<Record<string, unknown>>,
): Promise<void> => {
  number++
  const eventId = `0-${String(number).padStart(6, '0')}-0`
  const time = new Date(1_767_225_600_000 + number * 1000).toISOString()
  const json = JSON.stringify({
    eventId,
    type: 'identify',
    ...who,
    traits,
    context: {},
    receivedAt: time,
    timestamp: time,
  })
  return createLearning({ db: database.db, metrics: noMetrics })([{ workspaceId, sourceId, eventId, json }])
}

const open = () =>
  createProfileValues({
    db: database.db.withPlugin({
      transformQuery: ({ node }) => {
        statements.push(node.kind)
        return node
      },
      transformResult: async ({ result }) => {
        received.push(
          result.rows.reduce<number>((sum, { value }) => sum + (typeof value === 'string' ? value.length : 0), 0),
        )
        return result
      },
    }),
    positions: { next: () => next, knownAt: () => 0, onChanged: () => {} },
    forgotten: { version: () => version, readAt: () => now },
    clock: () => now,
  })

const needs = ['identifiers.user_id', 'traits.address', 'traits.email']
const place = { partition: 0, offset: 5 }

test('one query gives the needed values of all events, and none of another workspace', async () => {
  const other = await createWorkspace()
  await identify(
    workspace,
    { userId: 'u1', anonymousId: 'a1' },
    { email: 'one@example.com', address: { city: 'Köln' } },
  )
  await identify(workspace, { userId: 'u2' }, { email: 'two@example.com', name: 'Two' })
  await identify(other, { userId: 'u3' }, { email: 'three@example.com' })
  const events = [{ userId: 'u1' }, { anonymousId: 'a1' }, { userId: 'u2' }, { userId: 'u3' }, {}]
  const found = await open().look(workspace, events, needs)
  expect(statements).toHaveLength(1)
  expect(found.map(({ json, lacks }) => ({ ...JSON.parse(json), lacks }))).toEqual([
    ...[1, 2].map(() => ({
      traits: { email: 'one@example.com', address: { city: 'Köln' } },
      identifiers: { user_id: 'u1' },
      audiences: {},
      lacks: '',
    })),
    { traits: { email: 'two@example.com' }, identifiers: { user_id: 'u2' }, audiences: {}, lacks: '' },
    { lacks: 'the profile is not known' },
    { lacks: 'the profile is not known' },
  ])
})

test('the latest value of a trait of all identifiers counts, also a computed one, with all its digits', async () => {
  await identify(workspace, { anonymousId: 'a1' }, { email: 'old@example.com', plan: 'free' })
  await identify(workspace, { userId: 'u1', anonymousId: 'a1' }, { email: 'new@example.com', id: 1 })
  await sql`update profile_traits set value = '12345678901234567890', time = 'infinity' where name = 'id'`.execute(
    database.db,
  )
  const [found] = await open().look(workspace, [{ userId: 'u1' }], ['traits.email', 'traits.id', 'traits.plan'])
  expect(found?.json).toContain('"email":"new@example.com"')
  expect(found?.json).toContain('"id":12345678901234567890')
  expect(found?.json).toContain('"plan":"free"')
})

test('audiences of the workspace are true or false, and others are absent', async () => {
  const other = await createWorkspace()
  await identify(workspace, { userId: 'u1' }, { email: 'one@example.com' })
  const [inside, outside, foreign] = [newId(), newId(), newId()]
  for (const [id, of] of [
    [inside, workspace],
    [outside, workspace],
    [foreign, other],
  ] as const)
    await sql`insert into audiences (id, workspace_id, title, query, create_time, update_time)
      values (${id}::uuid, ${of}::uuid, 'A', '{}', now(), now())`.execute(database.db)
  await sql`insert into audience_members (audience_id, profile_id, enter_time)
    select a.id, p.id, now() from audiences a, profiles p where a.id in (${inside}::uuid, ${foreign}::uuid)`.execute(
    database.db,
  )
  const wanted = [inside, outside, foreign, 'no-id'].map((id) => `audiences.${id}`)
  const [found] = await open().look(workspace, [{ userId: 'u1' }], wanted)
  expect(JSON.parse(found?.json ?? '').audiences).toEqual({ [inside]: true, [outside]: false })
})

test('values beyond 16 KB are left out with the reason', async () => {
  await identify(workspace, { userId: 'u1' }, { a: 'x'.repeat(8000), b: 'y'.repeat(8000), c: 'z'.repeat(8000), d: 1 })
  const [found] = await open().look(workspace, [{ userId: 'u1' }], ['traits.a', 'traits.b', 'traits.c', 'traits.d'])
  expect(Object.keys(JSON.parse(found?.json ?? '').traits).toSorted()).toEqual(['a', 'b', 'd'])
  expect(found?.lacks).toBe('its values of the profile take more than 16 KB')
})

test('values beyond 16 KB do not leave the database, and a look-up of many profiles ends at 8 MB', async () => {
  const names = Array.from({ length: 5 }, (_, n) => `t${n}`)
  await identify(workspace, { userId: 'u0' }, Object.fromEntries(names.map((name) => [name, 'x'.repeat(4000)])))
  await sql`insert into profiles select * from jsonb_populate_recordset(null::profiles, (
    select jsonb_agg(to_jsonb(p) || jsonb_build_object('id', md5(n::text)::uuid))
    from profiles p, generate_series(1, 799) n))`.execute(database.db)
  await sql`insert into profile_identifiers select * from jsonb_populate_recordset(null::profile_identifiers, (
    select jsonb_agg(to_jsonb(i) || jsonb_build_object('profile_id', md5(n::text)::uuid, 'value', 'u' || n,
      'sequence', i.sequence + n)) from profile_identifiers i, generate_series(1, 799) n))`.execute(database.db)
  await sql`insert into profile_traits select (jsonb_populate_record(null::profile_traits,
    to_jsonb(t) || jsonb_build_object('identifier', t.identifier + n))).*
    from profile_traits t, generate_series(1, 799) n`.execute(database.db)
  const events = Array.from({ length: 800 }, (_, n) => ({ userId: `u${n}` }))
  const found = await open().look(
    workspace,
    events,
    names.map((name) => `traits.${name}`),
  )
  expect(statements.length).toBeLessThanOrEqual(4)
  expect(Math.max(...received)).toBeLessThan(200 * 17_000)
  expect(found.reduce((sum, { json }) => sum + json.length, 0)).toBeLessThan(12 * 1024 * 1024)
  expect(found.at(0)?.lacks).toBe('its values of the profile take more than 16 KB')
  expect(found.at(-1)?.lacks).toBe('the profiles of the events beside it take more than 8 MB')
})

test('profiles in memory take 16 MB at most', async () => {
  await identify(workspace, { userId: 'u0' }, { a: 'x'.repeat(8000), b: 'y'.repeat(8000) })
  const values = open()
  next = 6
  // Each combination of needs has its own entry.
  const look = (n: number) =>
    values.look(workspace, [{ userId: 'u0' }], ['traits.a', 'traits.b', `traits.n${n}`], place)
  for (let n = 0; n < 1100; n++) await look(n)
  await look(1099)
  expect(statements).toHaveLength(1100)
  await look(0)
  expect(statements).toHaveLength(1101)
})

test('without messages about changes, values in memory serve only events that profiles had read before, for two seconds', async () => {
  await identify(workspace, { userId: 'u1' }, { email: 'one@example.com' })
  const values = open()
  const email = async (offset: number): Promise<string> => {
    const [found] = await values.look(workspace, [{ userId: 'u1' }], needs, { ...place, offset })
    return JSON.parse(found?.json ?? '').traits.email
  }
  next = 6
  expect(values.hasRead(0, 5)).toBe(true)
  expect(values.hasRead(0, 6)).toBe(false)
  expect(await email(5)).toBe('one@example.com')
  await identify(workspace, { userId: 'u1' }, { email: 'two@example.com' })
  expect(await email(4)).toBe('one@example.com')
  expect(statements).toHaveLength(1)
  next = 7
  expect(await email(6)).toBe('two@example.com')
  expect(statements).toHaveLength(2)
  now += 2000
  await email(6)
  expect(statements).toHaveLength(3)
})

test('look-ups at the same time read each profile once, unless profiles have read more since', async () => {
  await identify(workspace, { userId: 'u1' }, { email: 'one@example.com' })
  await identify(workspace, { userId: 'u2' }, { email: 'two@example.com' })
  const values = open()
  const look = async (users: readonly string[], offset: number): Promise<(string | undefined)[]> => {
    const events = users.map((userId) => ({ userId }))
    const found = await values.look(workspace, events, needs, { ...place, offset })
    return found.map(({ json }) => JSON.parse(json).traits.email)
  }
  next = 6
  const both = ['one@example.com', 'two@example.com']
  expect(await Promise.all([look(['u1'], 5), look(['u1'], 4)])).toEqual([[both[0]], [both[0]]])
  expect(statements).toHaveLength(1)
  expect(await Promise.all([look(['u2'], 5), look(['u1', 'u2'], 5)])).toEqual([[both[1]], both])
  expect(statements).toHaveLength(2)
  now += 2000
  const first = look(['u1'], 5)
  next = 7
  expect(await Promise.all([first, look(['u1'], 6)])).toEqual([[both[0]], [both[0]]])
  expect(statements).toHaveLength(4)
})

test('an identifier with several values of a trait counts with the last event, and each audience of a profile is read', async () => {
  await identify(workspace, { anonymousId: 'a1' }, { email: 'old@example.com' })
  await identify(workspace, { userId: 'u1' }, { email: 'between@example.com' })
  await identify(workspace, { userId: 'u1', anonymousId: 'a2' }, { email: 'new@example.com' })
  await identify(workspace, { userId: 'u1', anonymousId: 'a1' }, { plan: 'team' })
  // The first identifier gives its email again, so that its set has the latest time.
  await identify(workspace, { anonymousId: 'a1' }, { email: 'old@example.com' })
  const found = await open().look(workspace, [{ userId: 'u1' }, { anonymousId: 'a2' }], ['traits.email', 'traits.plan'])
  for (const { json } of found)
    expect(JSON.parse(json)).toEqual({
      traits: { email: 'old@example.com', plan: 'team' },
      identifiers: {},
      audiences: {},
    })
})

test('a deletion or suppression reaches the values in memory', async () => {
  await identify(workspace, { userId: 'u1' }, { email: 'one@example.com' })
  const values = open()
  next = 6
  const lacks = async (): Promise<string | undefined> =>
    (await values.look(workspace, [{ userId: 'u1' }], needs, place))[0]?.lacks
  expect(await lacks()).toBe('')
  await sql`insert into privacy_hashes (workspace_id, hash, type, identifier, suppress_time, changed, request_id)
    select workspace_id, 'h', type, sequence, now(), 1, ${newId()}::uuid from profile_identifiers`.execute(database.db)
  version = '1'
  expect(await lacks()).toBe('the profile is not known')
})
