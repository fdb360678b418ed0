import { consentNeed } from '@tributary/connector-kit'
import { newId, noMetrics } from '@tributary/kernel'
import { createTestDatabase, type TestDatabase } from '@tributary/test-kit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLatestProfileValues, createLearning, createProfileLedger, rebuildProfiles } from './index.ts'
import { createRandom } from './testing/people.ts'

const sourceId = newId()
let database: TestDatabase
let workspace: string
let learning: ReturnType<typeof createLearning>

beforeEach(async () => {
  database = await createTestDatabase()
  learning = createLearning({ db: database.db, metrics: noMetrics })
  const organization = newId()
  workspace = newId()
  await database.db.insertInto('organizations').values({ id: organization, title: 'Acme' }).execute()
  await database.db
    .insertInto('workspaces')
    .values({ id: workspace, organization_id: organization, title: 'W' })
    .execute()
})
afterEach(() => database.close())

const timeOf = (second: number): string => new Date(1_767_225_600_000 + second * 1000).toISOString()
let number = 0

type Call = {
  userId?: string
  anonymousId?: string
  /** Seconds of the event's own time. */
  at: number
  /** Seconds of its receipt; by default much later. */
  receivedAt?: number
  preferences?: unknown
  consent?: unknown
  eventId?: string
}

const learn = (calls: readonly Call[]): Promise<void> =>
  learning(
    calls.map(({ at, receivedAt = 1_000_000, preferences, consent, eventId: id, ...who }) => {
      const eventId = id ?? `0-${String(++number).padStart(6, '0')}-0`
      const given = preferences === undefined ? consent : { categoryPreferences: preferences }
      const event = { eventId, type: 'track', event: 'Seen', ...who, properties: { a: '"categoryPreferences":{' } }
      const context = { library: { name: 'x' }, ...(given === undefined ? {} : { consent: given }) }
      const json = JSON.stringify({ ...event, context, receivedAt: timeOf(receivedAt), timestamp: timeOf(at) })
      return { workspaceId: workspace, sourceId, eventId, json }
    }),
  )

/** The consent that a look-up finds for each owner of events; undefined if none is known. */
const found = async (...owners: { userId?: string; anonymousId?: string }[]) =>
  (await createLatestProfileValues(database.db).look(workspace, owners, ['traits.email', consentNeed])).map(
    ({ consent }) => consent && [consent.granted.join(' '), (Date.parse(consent.time) - Date.parse(timeOf(0))) / 1000],
  )

test('the latest preferences by the time of the event count, of any order, with withdrawals', async () => {
  const random = createRandom(7)
  const calls = Array.from({ length: 60 }, (_, n): Call => {
    const preferences = { ads: random(2) === 0, email: random(2) === 0 }
    return { userId: `u${random(4)}`, at: random(30), preferences, eventId: `0-${String(n).padStart(6, '0')}-1` }
  })
  const shuffled = random.shuffled(calls)
  for (let at = 0; at < shuffled.length; at += 7) await learn(shuffled.slice(at, at + 7))
  await learn(shuffled.slice(0, 20))
  for (const userId of ['u0', 'u1', 'u2', 'u3']) {
    const last = calls
      .filter((call) => call.userId === userId)
      .toSorted((a, b) => a.at - b.at)
      .at(-1)
    const granted = Object.entries(last?.preferences as object).flatMap(([name, is]) => (is === true ? [name] : []))
    expect(await found({ userId })).toEqual([[granted.join(' '), last?.at]])
  }
})

test.each<[string, Omit<Call, 'at'>, string | undefined]>([
  ['granted and denied categories', { preferences: { b: true, a: true, c: false, d: 'true', e: 1 } }, 'a b'],
  ['no category', { preferences: {} }, ''],
  [
    'names that cannot be required',
    { preferences: { ['x'.repeat(101)]: true, 'a\0': true, '\ud800': true, ok: true } },
    'ok',
  ],
  ['a list instead of preferences', { preferences: ['ads'] }, undefined],
  ['a text instead of preferences', { preferences: 'ads' }, undefined],
  ['consent without preferences', { consent: { other: true } }, undefined],
  ['a null', { consent: null }, undefined],
  ['nothing', {}, undefined],
])('an event with %s', async (_, call, granted) => {
  await learn([{ userId: 'u', at: 3, ...call }])
  expect(await found({ userId: 'u' })).toEqual([granted === undefined ? undefined : [granted, 3]])
})

test('an event whose facts are known changes the consent, and one without preferences changes nothing', async () => {
  await learn([{ userId: 'u', at: 1, preferences: { ads: true } }])
  await learn([{ userId: 'u', at: 2 }])
  expect(await found({ userId: 'u' })).toEqual([['ads', 1]])
  await learn([{ userId: 'u', at: 3, preferences: { ads: false } }])
  expect(await found({ userId: 'u' })).toEqual([['', 3]])
})

test('a time after the receipt counts as the time of the receipt', async () => {
  await learn([{ userId: 'u', at: 900, receivedAt: 5, preferences: { ads: true } }])
  await learn([{ userId: 'u', at: 6, receivedAt: 6, preferences: { ads: false } }])
  expect(await found({ userId: 'u' })).toEqual([['', 6]])
})

test('a merged profile has the latest consent of both, and a split gives each identifier its own back', async () => {
  await learn([
    { anonymousId: 'a', at: 5, preferences: { ads: false } },
    { userId: 'u', at: 3, preferences: { ads: true } },
  ])
  expect(await found({ userId: 'u' }, { anonymousId: 'a' })).toEqual([
    ['ads', 3],
    ['', 5],
  ])
  await learn([{ userId: 'u', anonymousId: 'a', at: 6 }])
  expect(await found({ userId: 'u' }, { anonymousId: 'a' })).toEqual([
    ['', 5],
    ['', 5],
  ])
  const { profile_id: profileId } = await database.db
    .selectFrom('profile_identifiers')
    .select('profile_id')
    .executeTakeFirstOrThrow()
  await rebuildProfiles(database.db, workspace)
  expect(await found({ userId: 'u' })).toEqual([['', 5]])
  const split = { profileId, identifiers: [{ type: 'anonymous_id', value: 'a' }], actorId: newId(), time: new Date() }
  await database.db.transaction().execute((tx) => createProfileLedger(database.db).split(tx, workspace, split))
  await rebuildProfiles(database.db, workspace)
  expect(await found({ userId: 'u' }, { anonymousId: 'a' })).toEqual([
    ['ads', 3],
    ['', 5],
  ])
})

test.each(['erases', 'suppresses'] as const)('a request that %s a user removes the consent', async (kind) => {
  await learn([
    { userId: 'u', anonymousId: 'a', at: 1, preferences: { ads: true } },
    { anonymousId: 'a', at: 2, preferences: { ads: true } },
    { userId: 'other', at: 1, preferences: { ads: true } },
  ])
  const ledger = createProfileLedger(database.db)
  const request = { requestId: newId(), actorId: newId(), time: new Date(Date.parse(timeOf(2_000_000))) }
  const identifiers = [{ type: 'user_id', value: 'u' }]
  await database.db.transaction().execute((tx) =>
    ledger.forget(tx, workspace, {
      ...request,
      identifiers,
      erases: kind === 'erases',
      suppresses: kind === 'suppresses',
    }),
  )
  const rows = () => database.db.selectFrom('profile_consents').select('granted').execute()
  expect(await rows()).toHaveLength(1)
  // An event that was received before the request stores nothing.
  await learn([{ userId: 'u', at: 3, preferences: { ads: true } }])
  expect(await rows()).toHaveLength(1)
  expect(await found({ userId: 'u' }, { userId: 'other' })).toEqual([undefined, ['ads', 1]])
  if (kind === 'erases') return
  const { hash } = await database.db
    .selectFrom('privacy_hashes')
    .select('hash')
    .where('type', '=', 'user_id')
    .executeTakeFirstOrThrow()
  await database.db.transaction().execute((tx) => ledger.release(tx, workspace, hash))
  expect(await found({ userId: 'u' })).toEqual([undefined])
})

test('a consent is read only if it is needed, and not of another workspace', async () => {
  await learn([{ userId: 'u', at: 1, preferences: { ads: true } }])
  const values = createLatestProfileValues(database.db)
  const [without] = await values.look(workspace, [{ userId: 'u' }], ['traits.email'])
  expect(without).toEqual({ json: expect.any(String), lacks: '' })
  const [foreign] = await values.look(newId(), [{ userId: 'u' }], ['traits.email', consentNeed])
  expect(foreign).toEqual({ json: '{}', lacks: 'the profile is not known' })
})

test('a deleted workspace keeps no consents', async () => {
  await learn([{ userId: 'u', at: 1, preferences: { ads: true } }])
  await database.db.deleteFrom('identity_ledgers').where('workspace_id', '=', workspace).execute()
  expect(await database.db.selectFrom('profile_consents').select('granted').execute()).toEqual([])
})
