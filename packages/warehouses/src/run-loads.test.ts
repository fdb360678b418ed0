import { ConfigurationError, type DeliverContext, RejectedError, RetryableError } from '@tributary/connector-kit'
import type { ColumnChange } from '@tributary/contract'
import { createTestStores, eventually } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { beginChange, beginLoad, loadJob } from './begin-load.ts'
import { queueDueLoads } from './queue-due-loads.ts'
import { showLoad } from './read.ts'
import { runLoads } from './run-loads.ts'
import { stagedUntil } from './staged-until.ts'
import { createEngine, type Engine, minuteMs, reportOf, secret, startTime, waitMs } from './testing.ts'

const { database, store } = await createTestStores()
const { db } = database
const { signal } = new AbortController()

type Destination = Awaited<ReturnType<Engine['makeDestination']>>
let engine: Engine
let destination: Destination
beforeEach(async () => {
  await db.deleteFrom('organizations').execute()
  engine = await createEngine(database, store)
  destination = await engine.makeDestination()
  await queueDueLoads(engine.services)
})
afterEach(() => engine.close())

const given = () => ({ trigger: 'user' as const, createdBy: null, time: new Date(engine.clock.now++) })
const start = () => db.transaction().execute((tx) => beginLoad(tx, engine.jobs, destination, given()))
const change = (asked: ColumnChange) =>
  db.transaction().execute((tx) => beginChange(tx, engine.jobs, destination, { ...given(), change: asked }))
const drop = (column: string) => change({ kind: 'drop_column', table: 'order', column })
const run = (given: AbortSignal = signal) =>
  runLoads(engine.services, { workspace: destination.workspace_id, destination: destination.id }, { signal: given })
const loads = () => engine.loadsOf(destination)
const last = async () => (await loads()).at(-1)
const failing = (error: Error) => (): Promise<never> => Promise.reject(error)
const withStatement = (error: ConfigurationError | RetryableError | RejectedError, request: string) =>
  error.withExchange({ httpStatus: 0, latencyMs: 0, request, response: '' })

test('a load has its rows by table, and the tables are complete up to when it began', async () => {
  engine.state.load = async () => {
    engine.clock.now += 5 * minuteMs
    return reportOf({ tracks: 2, users: 1 })
  }
  await start()
  const begun = engine.clock.now
  await run()
  expect(await loads()).toMatchObject([
    {
      state: 'succeeded',
      table_rows: { tracks: 2, users: 1 },
      attempts: 1,
      start_time: new Date(begun),
      finish_time: new Date(begun + 5 * minuteMs),
    },
  ])
  expect(await engine.stateOf(destination)).toMatchObject({
    load_time: new Date(begun),
    complete_time: new Date(begun - 30_000),
  })
})

test('a load goes on until the stage is empty, and counts all of its rows', async () => {
  let left = 3
  engine.state.load = async () => reportOf(left > 1 ? { tracks: 5 } : { tracks: 5, users: 2 }, --left > 0)
  const id = await start()
  await run()
  expect(engine.state.calls).toEqual(['load', 'load', 'load'])
  expect(await showLoad(db, destination, id)).toMatchObject({
    tables: [
      { table: 'tracks', row_count: 15 },
      { table: 'users', row_count: 2 },
    ],
    bytes: 30,
    unfit_count: 3,
  })
})

test('loads and changes run in the order in which they were asked for', async () => {
  await change({ kind: 'change_type', table: 'order', column: 'total', type: 'number' })
  await start()
  await change({ kind: 'rename_column', table: 'order', column: 'total', name: 'sum' })
  await drop('sum')
  await run()
  expect(engine.state.calls).toEqual([
    'change_type {"table":"order","column":"total","type":"number"}',
    'load',
    'rename_column {"table":"order","column":"total","name":"sum"}',
    'drop_column {"table":"order","column":"sum"}',
  ])
  expect((await loads()).map(({ state }) => state)).toEqual(['succeeded', 'succeeded', 'succeeded', 'succeeded'])
})

test('a change does not move the time up to which the tables are complete', async () => {
  await drop('total')
  await run()
  expect(await engine.stateOf(destination)).toMatchObject({ load_time: null, complete_time: null })
})

describe('a failure', () => {
  test('that can pass keeps the load running, and holds up what comes after it', async () => {
    engine.state.load = failing(withStatement(new RetryableError('the server is down'), 'SELECT 1'))
    await start()
    await drop('total')
    await expect(run()).rejects.toThrow('the server is down')
    const [first] = await loads()
    expect(first).toMatchObject({
      state: 'running',
      attempts: 1,
      reason: 'the server is down',
      statement: 'SELECT 1',
      finish_time: null,
    })
    expect(await engine.stateOf(destination)).toMatchObject({ load_time: null, complete_time: null })
    engine.state.load = async () => reportOf({ tracks: 1 })
    engine.clock.now += minuteMs
    await run()
    expect(engine.state.calls).toEqual(['load', 'load', 'drop_column {"table":"order","column":"total"}'])
    expect(await loads()).toMatchObject([
      { state: 'succeeded', attempts: 2, reason: '', statement: '', start_time: first?.start_time },
      { state: 'succeeded' },
    ])
  })

  test('that can pass fails the load at the sixth attempt, and what comes after it runs', async () => {
    engine.state.load = failing(new RetryableError('the server is down'))
    await start()
    await drop('total')
    for (let attempt = 1; attempt <= 5; attempt++) await expect(run()).rejects.toThrow('the server is down')
    expect(await loads()).toMatchObject([{ state: 'running', attempts: 5 }, { state: 'waiting' }])
    await run()
    expect(await loads()).toMatchObject([
      { state: 'failed', attempts: 6, reason: 'the server is down' },
      { state: 'succeeded' },
    ])
    expect(await engine.stateOf(destination)).toMatchObject({ load_time: null, complete_time: null })
  })

  test.each([
    ['the set-up', (text: string) => new ConfigurationError(text)],
    ['a refusal', (text: string) => new RejectedError(text)],
  ])('by %s fails the load at once, with its statement and without secrets', async (_, errorOf) => {
    engine.state.load = failing(
      withStatement(errorOf(`no grant for ${secret}`), `INSERT INTO tracks -- ${secret}\nVALUES (1)`),
    )
    await start()
    await drop('total')
    await run()
    const [load, after] = await loads()
    expect(load).toMatchObject({ state: 'failed', attempts: 1 })
    expect(load?.reason).toMatch(/^no grant for /)
    expect(load?.statement).toMatch(/^INSERT INTO tracks -- .*\nVALUES \(1\)$/)
    expect(JSON.stringify(load)).not.toContain(secret)
    expect(after).toMatchObject({ state: 'succeeded' })
  })

  test('of the connector itself fails the load, says where the reason is, and is logged', async () => {
    engine.state.load = failing(new TypeError(`x is no function ${secret}`))
    await start()
    await run()
    expect(await last()).toMatchObject({ state: 'failed', statement: '' })
    expect(JSON.stringify(await last())).not.toContain(secret)
    expect(engine.errors).toMatchObject([{ err: expect.any(TypeError), destination: destination.id }])
  })

  test('has at most 10,000 characters of its reason and its statement', async () => {
    engine.state.load = failing(withStatement(new ConfigurationError('r'.repeat(50_000)), 's'.repeat(50_000)))
    await start()
    await run()
    expect([(await last())?.reason.length, (await last())?.statement.length]).toEqual([10_000, 10_000])
  })

  test('by settings that are missing fails the load, and names them', async () => {
    await db.updateTable('destinations').set({ secrets_encrypted: null }).where('id', '=', destination.id).execute()
    await start()
    await run()
    expect(await last()).toMatchObject({ state: 'failed', reason: expect.stringContaining('Password') })
    expect(engine.state.calls).toEqual([])
  })

  test('with characters that the database cannot store is stored', async () => {
    engine.state.load = failing(withStatement(new ConfigurationError('a\0b \ud800'), '\0'))
    await start()
    await run()
    expect(await last()).toMatchObject({ state: 'failed' })
    expect((await last())?.reason).toMatch(/^a.?b/)
  })
})

test('rows that were loaded before a failure are counted', async () => {
  let turn = 0
  engine.state.load = async () => {
    if (++turn === 2) throw new RetryableError('the server is down')
    return reportOf({ tracks: 5 }, turn === 1)
  }
  await start()
  await expect(run()).rejects.toThrow('the server is down')
  expect(await last()).toMatchObject({ state: 'running', table_rows: { tracks: 5 }, bytes: '10', unfit_count: '1' })
  await run()
  expect(await last()).toMatchObject({ state: 'succeeded', table_rows: { tracks: 10 }, bytes: '20', unfit_count: '2' })
})

describe('a run that is aborted', () => {
  const hanging = (stopping: AbortController) => (context: DeliverContext) =>
    new Promise<never>((_, reject) => {
      context.signal.addEventListener('abort', () => reject(new RetryableError('Interrupted')))
      stopping.abort(new Error('The process stops'))
    })

  test('in a load throws, leaves the load running, and the next run goes on', async () => {
    const stopping = new AbortController()
    engine.state.load = hanging(stopping)
    await start()
    await drop('total')
    await expect(run(stopping.signal)).rejects.toThrow('The process stops')
    expect(await loads()).toMatchObject([{ state: 'running', reason: '', attempts: 1 }, { state: 'waiting' }])
    engine.state.load = async () => reportOf()
    await run()
    expect((await loads()).map(({ state }) => state)).toEqual(['succeeded', 'succeeded'])
  })

  test('between two parts of a load throws, and does not load further', async () => {
    const stopping = new AbortController()
    engine.state.load = async () => {
      stopping.abort(new Error('The process stops'))
      return reportOf({}, true)
    }
    await start()
    await expect(run(stopping.signal)).rejects.toThrow('The process stops')
    expect(engine.state.calls).toEqual(['load'])
    expect(await last()).toMatchObject({ state: 'running' })
  })
})

describe('after a kill', () => {
  test('before the outcome is stored, the load is repeated', async () => {
    await start()
    // The row of a process that was killed after its load.
    await db.updateTable('warehouse_loads').set({ state: 'running', attempts: 1, start_time: new Date() }).execute()
    await run()
    expect(engine.state.calls).toEqual(['load'])
    expect(await last()).toMatchObject({ state: 'succeeded', attempts: 2 })
  })

  test('after the outcome is stored, the status of the destination is right after the next load', async () => {
    await start()
    await db.updateTable('warehouse_loads').set({ state: 'succeeded', attempts: 1 }).execute()
    await run()
    expect(engine.state.calls).toEqual([])
    await start()
    await run()
    expect((await engine.stateOf(destination)).load_time).not.toBeNull()
  })

  test('its job runs again, and the next run ends its work', async () => {
    await engine.jobs.start()
    try {
      let attempts = 0
      engine.state.load = async () => {
        if (++attempts === 1) throw new RetryableError('the server is down')
        return reportOf()
      }
      await engine.jobs.work(loadJob, (job, jobRun) => runLoads(engine.services, job, jobRun))
      await start()
      await eventually('the load has succeeded', async () => (await last())?.state === 'succeeded', 60_000)
      expect(attempts).toBe(2)
    } finally {
      await engine.jobs.stop()
    }
  })
})

test('without a state of the destination, a load that succeeds is remembered', async () => {
  await db.deleteFrom('warehouse_states').execute()
  await start()
  const begun = engine.clock.now
  await run()
  expect(await engine.stateOf(destination)).toMatchObject({ load_time: new Date(begun) })
})

test('a deleted destination is not loaded', async () => {
  await start()
  await db.updateTable('destinations').set({ delete_time: new Date() }).where('id', '=', destination.id).execute()
  await run().catch(() => undefined)
  expect(engine.state.calls).toEqual([])
})

test('a destination that is no warehouse any more fails its load with the reason', async () => {
  await db.updateTable('destinations').set({ app: 'other' }).where('id', '=', destination.id).execute()
  await start()
  await run()
  expect(await last()).toMatchObject({ state: 'failed', reason: 'The destination is not a warehouse' })
})

describe('all events are staged', () => {
  const until = () => stagedUntil(engine.services, destination.id, { stageWaitMs: waitMs })

  test('up to some seconds ago, if none waits', async () => {
    expect(await until()).toEqual(new Date(startTime - 30_000))
  })

  test('up to the oldest event that waits', async () => {
    await engine.park(destination, startTime - 10 * minuteMs)
    await engine.park(destination, startTime - 50 * minuteMs)
    await engine.park(destination, startTime - 90 * minuteMs, { state: 'dead' })
    await engine.park(await engine.makeDestination(), startTime - 120 * minuteMs)
    expect(await until()).toEqual(new Date(startTime - 50 * minuteMs))
  })

  test('up to the time at which the oldest failed event can have been received, before it waited for others', async () => {
    await engine.park(destination, startTime - 10 * minuteMs)
    await engine.park(destination, startTime - 5 * minuteMs, { isTried: true })
    expect(await until()).toEqual(new Date(startTime - 15 * minuteMs - 30_000))
  })
})
