import { newId, noMetrics } from '@tributary/kernel'
import { createLearning, createProfileLedger, rebuildProfiles } from '@tributary/profiles'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from './database.ts'

let database: TestDatabase
let workspace: string
let learn: ReturnType<typeof createLearning>

beforeEach(async () => {
  database = await createTestDatabase()
  workspace = newId()
  const organization = newId()
  await database.db.insertInto('organizations').values({ id: organization, title: 'Acme' }).execute()
  await database.db
    .insertInto('workspaces')
    .values({ id: workspace, organization_id: organization, title: 'W' })
    .execute()
  learn = createLearning({ db: database.db, metrics: noMetrics })
})
afterEach(() => database.close())

const sourceId = newId()
const receivedAt = '2026-11-20T10:00:00.000Z'
let serial = 0

/** Updates profiles from events, each with its own time, all received at the same time. */
const receive = async (...events: (Record<string, unknown> & { at: string })[]): Promise<void> =>
  await learn(
    events.map(({ at, context = {}, ...event }) => {
      const eventId = `0-${++serial}-0`
      return {
        workspaceId: workspace,
        sourceId,
        eventId,
        json: JSON.stringify({ eventId, type: 'track', ...event, context, receivedAt, timestamp: at }),
      }
    }),
  )

/** The first-seen time of each identifier. */
const firstSeen = async (): Promise<Record<string, string>> => {
  const rows = await database.db
    .selectFrom('profile_identifiers')
    .select(['value', 'create_time'])
    .where('workspace_id', '=', workspace)
    .execute()
  return Object.fromEntries(rows.map(({ value, create_time }) => [value, create_time.toISOString()]))
}

const day = (number: number): string => `2026-11-${String(number).padStart(2, '0')}T00:00:00.000Z`

test("a backfill sets an identifier's first-seen time to an earlier one, and later events do not change it", async () => {
  await receive({ userId: 'u', anonymousId: 'a', at: day(15) })
  await receive({ userId: 'u', at: day(16) }, { userId: 'u', at: day(3) }, { userId: 'u', at: day(7) })
  expect(await firstSeen()).toEqual({ u: day(3), a: day(15) })
  await receive({ userId: 'u', anonymousId: 'a', at: day(5) }, { userId: 'u', at: day(4) })
  expect(await firstSeen()).toEqual({ u: day(3), a: day(5) })
})

test('the earliest event of a batch counts, in any order, even if it is earlier by seconds only', async () => {
  const at = (seconds: number): string => `2026-11-20T09:59:${seconds}.500Z`
  await receive({ userId: 'u', at: at(42) }, { userId: 'u', at: at(40) }, { userId: 'u', at: at(41) })
  expect(await firstSeen()).toEqual({ u: at(40) })
  await receive({ userId: 'u', at: at(39) })
  expect(await firstSeen()).toEqual({ u: at(39) })
})

test('a restarted process with an empty cache does not set a first-seen time to a later time', async () => {
  await receive({ userId: 'u', at: day(3) })
  learn = createLearning({ db: database.db, metrics: noMetrics })
  await receive({ userId: 'u', at: day(9) })
  await receive({ userId: 'u', at: day(2) })
  expect(await firstSeen()).toEqual({ u: day(2) })
})

test('the first-seen time of an external ID is that of its earliest event; for an event from the future, the time of receipt counts', async () => {
  const externalIds = [{ id: 'crm-1', type: 'crm', collection: 'users', encoding: 'none' }]
  await receive({ userId: 'u', context: { externalIds }, at: '2099-01-01T00:00:00.000Z' })
  expect(await firstSeen()).toEqual({ u: receivedAt, 'crm-1': receivedAt })
  await receive({ userId: 'u', at: day(2) }, { userId: 'v', context: { externalIds }, at: day(4) })
  expect(await firstSeen()).toMatchObject({ u: day(2), 'crm-1': day(4) })
})

test('the first-seen time stays when profiles are rebuilt from the ledger, and through a merge and a split', async () => {
  await receive({ userId: 'u', at: day(15) }, { anonymousId: 'a', at: day(16) })
  await receive({ anonymousId: 'a', at: day(1) }, { userId: 'u', anonymousId: 'a', at: day(17) })
  expect(await firstSeen()).toEqual({ u: day(15), a: day(1) })
  await rebuildProfiles(database.db, workspace)
  expect(await firstSeen()).toEqual({ u: day(15), a: day(1) })
  const [row] = await database.db.selectFrom('profile_identifiers').select('profile_id').execute()
  const request = {
    profileId: row?.profile_id ?? '',
    identifiers: [{ type: 'anonymous_id', value: 'a' }],
    actorId: newId(),
    time: new Date(receivedAt),
  }
  await database.db.transaction().execute((tx) => createProfileLedger(database.db).split(tx, workspace, request))
  expect(await firstSeen()).toEqual({ u: day(15), a: day(1) })
})
