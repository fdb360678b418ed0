import { newId, noMetrics } from '@tributary/kernel'
import { createForgottenUsers, createLearning, createProfileLedger } from '@tributary/profiles'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from './database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

const now = Date.parse('2026-01-02T00:00:00.000Z')
const before = new Date(now - 1).toISOString()
const after = new Date(now + 1).toISOString()

const makeWorkspace = async (): Promise<string> => {
  const [organization, id] = [newId(), newId()]
  await database.db.insertInto('organizations').values({ id: organization, title: 'Acme' }).execute()
  await database.db.insertInto('workspaces').values({ id, organization_id: organization, title: 'W' }).execute()
  return id
}

const forget = (workspaceId: string, type: string, value: string, time = now) =>
  database.db.transaction().execute((tx) =>
    createProfileLedger(database.db).forget(tx, workspaceId, {
      requestId: newId(),
      identifiers: [{ type, value }],
      erases: true,
      suppresses: false,
      actorId: newId(),
      time: new Date(time),
    }),
  )

test("earlier events of a deleted user are recognized by either ID, only in the user's workspace", async () => {
  const [workspace, other] = [await makeWorkspace(), await makeWorkspace()]
  const seen = { type: 'track', userId: 'u-1', anonymousId: 'a-1', context: {}, receivedAt: before, timestamp: before }
  await createLearning({ db: database.db, metrics: noMetrics })([
    { workspaceId: workspace, sourceId: newId(), eventId: '0-1-0', json: JSON.stringify(seen) },
  ])
  const forgotten = createForgottenUsers({ db: database.db, keepMs: 1000, clock: () => now })
  expect(forgotten.until(workspace)).toBe(0)
  await forget(workspace, 'user_id', 'u-1')
  await forgotten.refresh()
  expect([forgotten.until(workspace), forgotten.until(other)]).toEqual([now, 0])
  const isOf = (event: object, of = workspace, receivedAt = before): boolean =>
    forgotten.isOf(of, { ...event, receivedAt })
  expect(isOf({ userId: 'u-1' })).toBe(true)
  expect(isOf({ anonymousId: 'a-1' })).toBe(true)
  expect(isOf({ userId: 'null', anonymousId: 'a-1' })).toBe(true)
  expect(isOf({ userId: 'u-2', anonymousId: 'a-1' })).toBe(false)
  expect(isOf({ userId: 'u-1' }, other)).toBe(false)
  expect(isOf({ userId: 'u-1' }, workspace, after)).toBe(false)
})

test('a deletion that is older than all stored events is removed from memory', async () => {
  const workspace = await makeWorkspace()
  await forget(workspace, 'user_id', 'u-1')
  let time = now
  const forgotten = createForgottenUsers({ db: database.db, keepMs: 1000, clock: () => time })
  await forgotten.refresh()
  expect(forgotten.isOf(workspace, { userId: 'u-1', receivedAt: before })).toBe(true)
  time = now + 1001
  await forgotten.refresh()
  expect([forgotten.until(workspace), forgotten.isOf(workspace, { userId: 'u-1', receivedAt: before })]).toEqual([
    0,
    false,
  ])
})

test('a refresh that ends after a later one changes nothing', async () => {
  const workspace = await makeWorkspace()
  const isRead = Promise.withResolvers<void>()
  const mayEnd = Promise.withResolvers<void>()
  let isFirst = true
  const db = database.db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (!isFirst) return result
      isFirst = false
      isRead.resolve()
      await mayEnd.promise
      return result
    },
  })
  let time = now
  const forgotten = createForgottenUsers({ db, keepMs: 1000, clock: () => time })
  const first = forgotten.refresh()
  await isRead.promise
  await forget(workspace, 'user_id', 'u-1')
  time = now + 5
  await forgotten.refresh()
  const states = () => [forgotten.until(workspace), forgotten.version(workspace), forgotten.readAt()]
  expect(states()).toEqual([now, '1', now + 5])
  mayEnd.resolve()
  await first
  expect(states()).toEqual([now, '1', now + 5])
})
