import { newId } from '@tributary/kernel'
import { createTestStores } from '@tributary/test-kit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { beginChange, beginLoad, loadJob } from './begin-load.ts'
import { queueDueLoads } from './queue-due-loads.ts'
import { runLoads } from './run-loads.ts'
import { createEngine, dayMs, type Engine, minuteMs, startTime } from './testing.ts'

const { database, store } = await createTestStores()
const { db } = database
const { signal } = new AbortController()

let engine: Engine
beforeEach(async () => {
  await db.deleteFrom('organizations').execute()
  engine = await createEngine(database, store)
})
afterEach(() => engine.close())

const queue = () => queueDueLoads(engine.services)
type Destination = Awaited<ReturnType<Engine['makeDestination']>>
const run = ({ id, workspace_id }: Destination) =>
  runLoads(engine.services, { workspace: workspace_id, destination: id }, { signal })
/** Passes the time until the next load is due. */
const passHour = (): void => void (engine.clock.now += 60 * minuteMs)
const countJobs = async ({ id }: Destination): Promise<number> =>
  (
    await database.pool.query(`select from jobs.job where name = $1 and data ->> 'destination' = $2`, [
      loadJob.name,
      id,
    ])
  ).rowCount ?? 0
/** Makes a destination whose first load has succeeded. */
const makeLoaded = async (settings: Record<string, string> = {}): Promise<Destination> => {
  const destination = await engine.makeDestination(settings)
  await queue()
  await db
    .transaction()
    .execute((tx) =>
      beginLoad(tx, engine.jobs, destination, { trigger: 'user', createdBy: null, time: new Date(engine.clock.now) }),
    )
  await run(destination)
  engine.state.calls.length = 0
  return destination
}

test('a new warehouse is loaded first when its pace has passed, and only if anything is staged', async () => {
  const destination = await engine.makeDestination()
  await engine.staged(destination)
  await queue()
  expect(await engine.loadsOf(destination)).toEqual([])
  expect(await engine.stateOf(destination)).toMatchObject({
    next_load_time: new Date(startTime + 60 * minuteMs),
    load_time: null,
    complete_time: null,
  })
  engine.clock.now += 60 * minuteMs - 1
  await queue()
  expect(await engine.loadsOf(destination)).toEqual([])
  engine.clock.now++
  await queue()
  expect(await engine.loadsOf(destination)).toMatchObject([
    { kind: 'load', state: 'waiting', trigger: 'schedule', created_by: null, create_time: new Date(engine.clock.now) },
  ])
  expect(await countJobs(destination)).toBe(1)
  expect(engine.state.calls).toEqual([])
})

test('while nothing is staged, no load begins, the warehouse is not asked, and the tables stay complete', async () => {
  const destination = await makeLoaded()
  // Neither a failed attempt nor the events of another destination are staged here.
  await engine.staged(destination, { status: 'retry', time: engine.clock.now + minuteMs })
  await engine.staged(await engine.makeDestination({ load_minutes: '1440' }), { time: engine.clock.now + minuteMs })
  passHour()
  await queue()
  expect(await engine.loadsOf(destination)).toHaveLength(1)
  expect(engine.state.calls).toEqual([])
  const now = engine.clock.now
  expect(await engine.stateOf(destination)).toMatchObject({
    next_load_time: new Date(now + 60 * minuteMs),
    complete_time: new Date(now - 30_000),
  })
})

test('the tables are complete only up to the oldest event that waits', async () => {
  const destination = await makeLoaded()
  const since = engine.clock.now + 10 * minuteMs
  passHour()
  await engine.park(destination, since)
  await engine.park(destination, since - 5 * minuteMs, { state: 'dead' })
  await queue()
  expect(await engine.stateOf(destination)).toMatchObject({ complete_time: new Date(since) })
})

test('what is staged is loaded by one load, also if it was logged late', async () => {
  const destination = await makeLoaded()
  await engine.staged(destination, { time: engine.clock.now - minuteMs })
  passHour()
  await queue()
  await queue()
  expect(await engine.loadsOf(destination)).toMatchObject([{ trigger: 'user' }, { trigger: 'schedule' }])
  await run(destination)
  expect(engine.state.calls).toEqual(['load'])
  passHour()
  await queue()
  expect(await engine.loadsOf(destination)).toHaveLength(2)
})

test('after a failed load, the next one is due, although nothing more was staged', async () => {
  const destination = await makeLoaded()
  await engine.staged(destination, { time: engine.clock.now + minuteMs })
  passHour()
  await queue()
  await db.updateTable('warehouse_loads').set({ state: 'failed' }).where('state', '=', 'waiting').execute()
  passHour()
  await queue()
  expect((await engine.loadsOf(destination)).map(({ state }) => state)).toEqual(['succeeded', 'failed', 'waiting'])
})

test('two processes at the same time start one load', async () => {
  const destinations = [await makeLoaded(), await makeLoaded(), await makeLoaded()]
  for (const each of destinations) await engine.staged(each, { time: engine.clock.now + minuteMs })
  passHour()
  await Promise.all([queue(), queue(), queue()])
  for (const each of destinations)
    expect((await engine.loadsOf(each)).map(({ state }) => state)).toEqual(['succeeded', 'waiting'])
  expect(engine.errors).toEqual([])
})

test('a load that waits or runs is the load of the next time too', async () => {
  const destination = await makeLoaded()
  await engine.staged(destination, { time: engine.clock.now + minuteMs })
  passHour()
  await queue()
  await db.updateTable('warehouse_loads').set({ state: 'running' }).where('state', '=', 'waiting').execute()
  passHour()
  await queue()
  expect(await engine.loadsOf(destination)).toHaveLength(2)
})

test('a shorter pace holds at once, and a longer one from the next load on', async () => {
  const shorter = await makeLoaded()
  const longer = await makeLoaded()
  const setPace = (each: Destination, minutes: string) =>
    db
      .updateTable('destinations')
      .set({ settings: JSON.stringify({ load_minutes: minutes }) })
      .where('id', '=', each.id)
      .execute()
  await setPace(shorter, '5')
  await setPace(longer, '180')
  await queue()
  expect((await engine.stateOf(shorter)).next_load_time).toEqual(new Date(startTime + 5 * minuteMs))
  expect((await engine.stateOf(longer)).next_load_time).toEqual(new Date(startTime + 60 * minuteMs))
  passHour()
  await queue()
  expect((await engine.stateOf(longer)).next_load_time).toEqual(new Date(engine.clock.now + 180 * minuteMs))
})

test('a clock that was set back delays a load by one pace at most', async () => {
  const destination = await makeLoaded()
  engine.clock.now -= 10 * dayMs
  await engine.staged(destination)
  await queue()
  expect((await engine.stateOf(destination)).next_load_time).toEqual(new Date(engine.clock.now + 60 * minuteMs))
  passHour()
  await engine.staged(destination)
  await queue()
  expect(await engine.loadsOf(destination)).toHaveLength(2)
})

test('outside of the chosen hours no load begins, and the first one begins with them', async () => {
  const destination = await makeLoaded()
  // It is 05:06.
  engine.state.hours = { from: 22, to: 4 }
  await engine.staged(destination, { time: engine.clock.now + minuteMs })
  for (let hour = 6; hour < 22; hour++) {
    passHour()
    await queue()
  }
  expect(await engine.loadsOf(destination)).toHaveLength(1)
  passHour()
  await queue()
  expect(await engine.loadsOf(destination)).toHaveLength(2)
})

test('disabled and deleted destinations, and those that are no warehouse, get no loads', async () => {
  const disabled = await makeLoaded()
  const deleted = await makeLoaded()
  const other = await engine.makeDestination({}, 'other')
  await db.updateTable('destinations').set({ enabled: false }).where('id', '=', disabled.id).execute()
  await db
    .updateTable('destinations')
    .set({ delete_time: new Date(startTime) })
    .where('id', '=', deleted.id)
    .execute()
  for (const each of [disabled, deleted, other]) await engine.staged(each, { time: startTime + minuteMs })
  passHour()
  await queue()
  passHour()
  await queue()
  for (const each of [disabled, deleted]) expect(await engine.loadsOf(each)).toHaveLength(1)
  expect(await engine.loadsOf(other)).toEqual([])
  expect(await db.selectFrom('warehouse_states').where('destination_id', '=', other.id).selectAll().execute()).toEqual(
    [],
  )
})

test('a load whose job is gone gets a job again, also of a disabled destination, but not of a deleted one', async () => {
  const [waiting, running, deleted] = [await makeLoaded(), await makeLoaded(), await makeLoaded()]
  for (const each of [waiting, running, deleted])
    await db.transaction().execute((tx) =>
      beginChange(tx, engine.jobs, each, {
        change: { kind: 'drop_column', table: 'a', column: 'b' },
        createdBy: null,
        time: new Date(engine.clock.now),
      }),
    )
  await db.updateTable('destinations').set({ enabled: false }).where('id', '=', waiting.id).execute()
  await db.updateTable('destinations').set({ delete_time: new Date() }).where('id', '=', deleted.id).execute()
  await db
    .updateTable('warehouse_loads')
    .set({ state: 'running' })
    .where('destination_id', '=', running.id)
    .where('state', '=', 'waiting')
    .execute()
  await database.pool.query('delete from jobs.job')
  await queue()
  await queue()
  expect([await countJobs(waiting), await countJobs(running), await countJobs(deleted)]).toEqual([1, 1, 0])
})

test('loads that ended more than 30 days ago are removed, and open ones stay', async () => {
  const destination = await engine.makeDestination()
  const add = async (age: number, state: 'waiting' | 'running' | 'succeeded' | 'failed'): Promise<string> => {
    const id = newId()
    await db
      .insertInto('warehouse_loads')
      .values({
        id,
        workspace_id: destination.workspace_id,
        destination_id: destination.id,
        kind: 'load',
        state,
        trigger: 'schedule',
        create_time: new Date(startTime - age),
      })
      .execute()
    return id
  }
  await add(30 * dayMs + 1, 'succeeded')
  await add(30 * dayMs + 1, 'failed')
  const kept = [
    await add(40 * dayMs, 'waiting'),
    await add(40 * dayMs, 'running'),
    await add(30 * dayMs, 'succeeded'),
    await add(0, 'failed'),
  ]
  await queue()
  expect(new Set((await engine.loadsOf(destination)).map(({ id }) => id))).toEqual(new Set(kept))
})

test('one destination whose settings cannot be read delays no other', async () => {
  const broken = await engine.makeDestination()
  const fine = await makeLoaded()
  await db.updateTable('destinations').set({ settings: '"nothing"' }).where('id', '=', broken.id).execute()
  await engine.staged(fine, { time: engine.clock.now + minuteMs })
  passHour()
  await queue()
  expect(await engine.loadsOf(fine)).toHaveLength(2)
  expect(engine.errors).toContainEqual(expect.objectContaining({ destination: broken.id }))
})
