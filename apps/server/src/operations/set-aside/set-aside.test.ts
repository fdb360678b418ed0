import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { formatRecordPlace, newId, noMetrics, setHeldWork, silentLogger } from '@tributary/kernel'
import { createPipeline, type PipelineDeps, type SetAside } from '@tributary/pipeline'
import {
  createCoordinationHub,
  EventStoreUnavailable,
  openJournal,
  openLogReader,
  openLogWriter,
  partitionOf,
} from '@tributary/storage'
import {
  commandEnvironment,
  createTestDatabase,
  createTestEventStore,
  type TestDatabase,
  type TestEventStore,
} from '@tributary/test-kit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { listSetAsideRequests, takeBack } from './kept-requests.ts'
import { createSetAside } from './set-aside.ts'

const script = fileURLToPath(new URL('../../../../../scripts/set-aside.ts', import.meta.url))

let database: TestDatabase
let store: TestEventStore
const organization_id = newId()
beforeAll(async () => {
  database = await createTestDatabase()
  store = await createTestEventStore()
  await database.db.insertInto('organizations').values({ id: organization_id, title: 'Acme' }).execute()
})
afterAll(async () => {
  await store.close()
  await database.close()
})

let workspace: string
beforeEach(async () => {
  // Chooses a partition from 2 on, so that other workspaces can come before it in a round.
  do workspace = newId()
  while (partitionOf(workspace, 4) < 2)
  await database.db.deleteFrom('set_aside_requests').execute()
  await database.db.insertInto('workspaces').values({ id: workspace, organization_id, title: 'Shop' }).execute()
})

/** Creates logs, a journal, and pipelines that use them. A step throws for requests of the source `broken`. */
const createWorld = async (maxBytes?: number) => {
  const { db } = database
  const dir = await mkdtemp(join(tmpdir(), 'tributary-set-aside-'))
  const requests = await openLogWriter({ dir: join(dir, 'requests'), partitions: 4, inline: true })
  const deliveries = await openLogWriter({ dir: join(dir, 'deliveries'), partitions: 4, inline: true })
  const reader = openLogReader({ dir: join(dir, 'requests') })
  const journal = openJournal({ file: join(dir, 'journal.sqlite') })
  const hub = createCoordinationHub()
  const world = {
    broken: 'broken' as string | undefined,
    faults: 0,
    isStoreAway: false,
    /** Called before a failure is recorded. */
    beforeNoted: async () => {},
  }
  // Called for the schema of an event, after deduplication.
  const schemaFor: PipelineDeps['schemaFor'] = (sourceId) => {
    if (sourceId !== world.broken) return undefined
    return {
      get schema(): never {
        throw new TypeError('A step has a fault')
      },
      version: 1,
      enforcement: 'block',
      held: false,
    }
  }
  return {
    world,
    journal,
    reader,
    send: (sourceId: string, messageId: string | undefined, key = workspace) =>
      requests.append({
        key,
        meta: JSON.stringify({ w: key, s: sourceId, k: 'single', r: Date.now(), ip: '' }),
        body: Buffer.from(JSON.stringify({ type: 'track', event: 'E', userId: 'u', messageId })),
      }),
    append: requests.append,
    /** Starts pipelines one after the other, until one has stored everything or `most` have failed. */
    async run(most = 10): Promise<void> {
      for (let failed = 0; failed < most; failed++) {
        const setAside = createSetAside({
          db,
          clock: Date.now,
          logger: silentLogger,
          ...(maxBytes === undefined ? {} : { maxBytes }),
        })
        await setAside.load()
        const slowly: SetAside = {
          has: setAside.has,
          async failed(...given) {
            await world.beforeNoted()
            await setAside.failed(...given)
          },
        }
        const deps: PipelineDeps = {
          reader,
          journal,
          deliveries,
          eventStore: {
            ...store,
            insert: (...given) =>
              world.isStoreAway ? Promise.reject(new EventStoreUnavailable('away')) : store.insert(...given),
          },
          settings: { drainMs: 100, concurrentInserts: 1 },
          setAside: slowly,
          destinationsFor: () => [],
          schemaFor,
          coordination: hub.coordination,
          clock: Date.now,
          logger: silentLogger,
          metrics: noMetrics,
        }
        const pipeline = createPipeline(deps)
        pipeline.start()
        if (world.isStoreAway) await expect.poll(() => journal.openRanges().length).toBe(1)
        const idle = world.isStoreAway ? Promise.resolve() : pipeline.idle()
        const done = await idle.then(
          () => true,
          () => false,
        )
        await pipeline.stop()
        if (done) return
        world.faults++
      }
    },
    stored: async () => {
      const rows = await store.query<{ message_id: string }>(
        'select message_id from events where workspace_id = {workspace:String} order by message_id',
        { workspace },
      )
      return rows.map(({ message_id }) => message_id)
    },
    async [Symbol.asyncDispose]() {
      await requests.close()
      await deliveries.close()
      reader.close()
      journal.close()
      await hub.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** Runs the command as a user does, but without installing. */
const command = async (...args: string[]) => {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, ...args], {
    env: { ...commandEnvironment, DATABASE_URL: database.url },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (piece) => {
    output += piece
  })
  child.stderr.on('data', (piece) => {
    output += piece
  })
  const code = await new Promise((resolve) => child.once('close', resolve))
  return { code, output }
}

test('a request whose processing fails three times is set aside, and the requests around it are stored', async () => {
  await using world = await createWorld()
  await world.send('good', 'm-1')
  await world.send('broken', 'm-2')
  await world.send('good', 'm-3')
  await world.run()
  expect(world.world.faults).toBe(3)
  expect(await world.stored()).toEqual(['m-1', 'm-3'])
  expect(await listSetAsideRequests(database.db)).toMatchObject([
    { workspaceId: workspace, workspace: 'Shop', error: expect.stringMatching(/^TypeError: A step has a fault\n/) },
  ])
})

test('a request in a newer format is not set aside: processing waits for a process of that version', async () => {
  await using world = await createWorld()
  await world.send('good', 'm-1')
  await world.run()
  const meta = JSON.stringify({ v: 2, w: workspace, s: 'good', k: 'single', r: Date.now(), ip: '' })
  await world.append({ key: workspace, meta, body: Buffer.from('{}') })
  await world.send('good', 'm-2')
  await world.run(5)
  expect(world.world.faults).toBe(5)
  expect(await world.stored()).toEqual(['m-1'])
  expect(await listSetAsideRequests(database.db)).toEqual([])
})

test('a released request is stored once, even if the log is read again from its start', async () => {
  await using world = await createWorld()
  await world.send('broken', 'm-1')
  await world.send('good', 'm-2')
  await world.run()
  const [kept] = await listSetAsideRequests(database.db)
  const id = kept?.id ?? ''

  expect(await command()).toMatchObject({ code: 0, output: expect.stringContaining(`Shop (${workspace})`) })
  const shown = await command('show', id)
  expect(JSON.parse(shown.output)).toEqual({ type: 'track', event: 'E', userId: 'u', messageId: 'm-1' })
  expect(await takeBack(database.db, world.append)).toBe(0)
  expect(await command('take-back', id)).toMatchObject({ code: 0, output: expect.stringMatching(/^1 request will be/) })

  world.world.broken = undefined
  expect(await takeBack(database.db, world.append)).toBe(1)
  await world.run()
  expect(await world.stored()).toEqual(['m-1', 'm-2'])
  expect(await listSetAsideRequests(database.db)).toEqual([])
  for (const partition of [0, 1, 2, 3]) world.journal.rewind(partition, { offset: 0, incarnation: undefined })
  await world.run()
  expect(await world.stored()).toEqual(['m-1', 'm-2'])
})

test('a request that is held for blocking the thread is set aside with the reason, and processed after its release', async () => {
  await using world = await createWorld()
  for (const id of ['m-1', 'm-2', 'm-3']) await world.send('good', id)
  const [, second] = await world.reader.read(partitionOf(workspace, 4), 0, 1_000_000)
  if (second === undefined) throw new Error('There is no such record')
  setHeldWork(new Map([[`request ${formatRecordPlace(second)}`, 'It blocked the thread pipeline twice']]))
  await world.run()
  expect(world.world.faults).toBe(1)
  expect(await world.stored()).toEqual(['m-1', 'm-3'])
  expect(await listSetAsideRequests(database.db)).toMatchObject([{ error: 'It blocked the thread pipeline twice' }])
  expect((await command('take-back', '--all')).code).toBe(0)
  expect(await takeBack(database.db, world.append)).toBe(1)
  await world.run()
  setHeldWork(new Map())
  expect(await world.stored()).toEqual(['m-1', 'm-2', 'm-3'])
})

test('a request that fails again after its release is set aside again, and not processed once it is dropped', async () => {
  await using world = await createWorld()
  await world.send('broken', 'm-1')
  await world.run()
  const [first] = await listSetAsideRequests(database.db)
  expect((await command('take-back', '--all')).code).toBe(0)
  expect(await takeBack(database.db, world.append)).toBe(1)
  await world.run()
  expect(world.world.faults).toBe(6)
  const kept = await listSetAsideRequests(database.db)
  expect(kept).toHaveLength(1)
  expect(kept[0]?.id).not.toBe(first?.id)
  expect((await command('drop', first?.id ?? '')).output).toContain(`No request ${first?.id} is set aside.`)
  expect((await command('drop', kept[0]?.id ?? '')).code).toBe(0)
  expect(await listSetAsideRequests(database.db)).toEqual([])
  world.world.broken = undefined
  for (const partition of [0, 1, 2, 3]) world.journal.rewind(partition, { offset: 0, incarnation: undefined })
  await world.run()
  expect(await world.stored()).toEqual([])
})

test('if no more requests can be set aside, processing waits at the request, and nothing is lost', async () => {
  await using world = await createWorld(10)
  await world.send('broken', 'm-1')
  await world.send('good', 'm-2')
  await world.run(5)
  expect(world.world.faults).toBe(5)
  expect(await world.stored()).toEqual([])
  world.world.broken = undefined
  await world.run()
  expect(await world.stored()).toEqual(['m-1', 'm-2'])
})

test("a range journaled during a failure excludes the failing request's message IDs, so its released request is stored", async () => {
  await using world = await createWorld()
  const { journal } = world
  // While the first is inserted, the second waits in the buffer, and the failing request is read after them.
  const keys = [0, 1].map((partition) => {
    const ids = Array.from({ length: 200 }, () => newId())
    return ids.find((id) => partitionOf(id, 4) === partition)
  })
  world.world.beforeNoted = () => expect.poll(() => journal.positions().get(1), { timeout: 10_000 }).toBe(1)
  for (const key of keys) await world.send('good', 'other', key)
  await world.send('broken', 'm-1')
  await world.run()
  expect(world.world.faults).toBe(3)
  world.world.broken = undefined
  expect((await command('take-back', '--all')).code).toBe(0)
  expect(await takeBack(database.db, world.append)).toBe(1)
  await world.run()
  expect(await world.stored()).toEqual(['m-1'])
})

test('events without a message ID are also stored once if a kill comes between the release and its record', async () => {
  await using world = await createWorld()
  await world.send('broken', undefined)
  await world.run()
  world.world.broken = undefined
  expect((await command('take-back', '--all')).code).toBe(0)
  const killed = takeBack(database.db, async (entry) => {
    await world.append(entry)
    throw new Error('killed')
  })
  await expect(killed).rejects.toThrow('killed')
  expect(await takeBack(database.db, world.append)).toBe(1)
  await world.run()
  expect(await world.stored()).toHaveLength(1)
})

test('a request whose range had begun is not set aside, since its message IDs are known and its events are not stored', async () => {
  await using world = await createWorld()
  world.world.broken = undefined
  world.world.isStoreAway = true
  await world.send('broken', 'm-1')
  await world.run()
  world.world.isStoreAway = false
  world.world.broken = 'broken'
  await world.run(5)
  expect(world.world.faults).toBe(5)
  expect(await listSetAsideRequests(database.db)).toEqual([])
  world.world.broken = undefined
  await world.run()
  expect(await world.stored()).toEqual(['m-1'])
})

test('an invalid call of set-aside ends with 2 and prints the help of the command', async () => {
  for (const args of [['show'], ['give-back', '1'], ['drop', '--all']])
    expect(await command(...args)).toMatchObject({ code: 2, output: expect.stringContaining('npm run set-aside') })
})
