import { appendFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isHeldWork, newId, noteWork, setHeldWork, silentLogger } from '@tributary/kernel'
import { forgetHeldWork } from '@tributary/storage'
import { createTestDatabase, type TestDatabase } from '@tributary/test-kit'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { blocksFileOf, noteBlock, readBlocks } from './blocks-file.ts'
import { createHeldWork, listHeldWork, takeBlocks } from './held-work.ts'

let database: TestDatabase
const dataDir = mkdtempSync(join(tmpdir(), 'tributary-held-'))
const file = blocksFileOf(dataDir)
const workspaceId = newId()
beforeAll(async () => {
  database = await createTestDatabase()
  const organization_id = newId()
  await database.db.insertInto('organizations').values({ id: organization_id, title: 'Acme' }).execute()
  await database.db.insertInto('workspaces').values({ id: workspaceId, organization_id, title: 'Shop' }).execute()
})
afterEach(() => setHeldWork(new Map()))
afterAll(async () => {
  await database.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const block = (item: string, id = newId(), workspace = workspaceId): void =>
  noteBlock(file, {
    id,
    time: '2026-11-28T15:00:00.000Z',
    thread: 'main',
    step: 'a step',
    workspaceId: workspace,
    item,
  })
/** Reads the records as a process does at its start. */
const startAgain = (): Promise<void> => takeBlocks({ relational: database, file, logger: silentLogger })
const heldItems = async (): Promise<string[]> => (await listHeldWork(database.db)).map(({ item }) => item)

test.each([
  ['a request', 'request 3-0000000007-a'],
  ['a call', 'call models.preview /api/workspaces/w/models:preview 70000 u'],
  ['an event', 'delivery d 3-7-0-a'],
  ['a template', 'template s 0f'],
  ['a job', 'job syncs.run {"run":"r"}'],
])('%s that blocked a thread twice, in different runs, is held until it is released', async (_title, item) => {
  block(item)
  await startAgain()
  expect(await heldItems()).toEqual([])
  block(item)
  block('another')
  await startAgain()
  const [held] = await listHeldWork(database.db)
  expect(held).toMatchObject({ item, workspaceId, workspace: 'Shop' })
  expect(held?.reason).toContain('blocked the thread main twice, last at 2026-11-28T15:00:00.000Z (a step)')

  const work = createHeldWork({ db: database.db, logger: silentLogger })
  await work.load()
  await work.stop()
  expect(() => noteWork('a step', workspaceId, item)).toThrow(held?.reason)
  noteWork('a step', workspaceId, 'another')

  expect(await forgetHeldWork(database.db, held?.id ?? '')).toBe(true)
  expect(await forgetHeldWork(database.db, held?.id ?? '')).toBe(false)
  await work.load()
  await work.stop()
  expect(isHeldWork(item)).toBe(false)
  block(item)
  await startAgain()
  expect(await heldItems()).toEqual([])
  await database.db.deleteFrom('held_work').execute()
})

test('work that an administrator released is held after its next block, with the total number of blocks', async () => {
  block('again')
  block('again')
  await startAgain()
  await database.db.updateTable('held_work').set({ hold_time: null }).execute()
  expect(await heldItems()).toEqual([])
  block('again')
  await startAgain()
  const [held] = await listHeldWork(database.db)
  expect(held?.reason).toContain('blocked the thread main 3 times')
  await database.db.deleteFrom('held_work').execute()
})

test('a job belongs to the workspace of the sync, audience, dry run, or privacy request in its data', async () => {
  const id = newId()
  await database.db
    .insertInto('privacy_requests')
    .values({
      id,
      workspace_id: workspaceId,
      kind: 'delete',
      actor_id: newId(),
      identifiers: 1,
      profiles: 0,
      sequence: 0,
      create_time: new Date(),
    })
    .execute()
  for (const item of [`job erase-people {"request":"${id}"}`, `job erase-people {"request":"${newId()}"}`]) {
    block(item, newId(), '')
    block(item, newId(), '')
  }
  await startAgain()
  const held = await listHeldWork(database.db)
  expect(held.map(({ workspaceId: of }) => of).toSorted()).toEqual([workspaceId, undefined])
  await database.db.deleteFrom('held_work').execute()
})

test('records that an interrupted process moved aside, and those written during a call, are also counted', async () => {
  renameSync(((): string => (block('left'), file))(), `${file}.taken`)
  block('first')
  const pool = { ...database.pool, query: database.pool.query.bind(database.pool) } as typeof database.pool
  let isNoted = false
  const query = pool.query as (text: string, values: unknown[]) => Promise<unknown>
  pool.query = (async (text: string, values: unknown[]) => {
    if (!isNoted) block('meanwhile')
    isNoted = true
    return await query(text, values)
  }) as typeof pool.query
  await takeBlocks({ relational: { db: database.db, pool }, file, logger: silentLogger })
  await startAgain()
  const rows = await database.db.selectFrom('held_work').select('item').orderBy('item').execute()
  expect(rows.map(({ item }) => item)).toEqual(['first', 'left', 'meanwhile'])
  await database.db.deleteFrom('held_work').execute()
})

test('a record that is read twice counts once, an incomplete one does not count, and one of a deleted workspace counts', async () => {
  const id = newId()
  block('twice', id)
  await startAgain()
  block('twice', id)
  await startAgain()
  expect(await heldItems()).toEqual([])
  block('gone', newId(), newId())
  block('gone', newId(), '')
  block('', newId())
  block('', newId())
  appendFileSync(file, '{"id":"cut off')
  await startAgain()
  expect(await heldItems()).toEqual(['gone'])
  expect(readBlocks(file)).toEqual([])
})
