import { silentLogger } from '@tributary/kernel'
import { createClickHouseEventStore, openRelational } from '@tributary/storage'
import { expect, test } from 'vitest'
import { createClient } from '../threads/messages/message.ts'
import { type PipelineMessages, pipelineMessages } from '../threads/messages/pipeline.ts'
import type { Role } from '../threads/role-thread.ts'
import { awaited, stateOfEngine, stateOfRole } from './readiness.ts'

/** An address at which no server listens. */
const gone = '127.0.0.1:1'

test('an unreachable PostgreSQL is reported with its consequences, but without address and user', async () => {
  await using relational = openRelational({ url: `postgres://ada:secret@${gone}/shop`, logger: silentLogger })
  expect(await stateOfEngine(awaited.relational, () => relational.pool.query('select 1'))).toEqual({
    ok: false,
    detail: 'PostgreSQL does not answer (ECONNREFUSED): the API does not work, and processing can wait',
  })
})

test('an unreachable event store is reported with its consequences', async () => {
  const eventStore = createClickHouseEventStore({ url: `http://ada:secret@${gone}/shop`, logger: silentLogger })
  expect(await stateOfEngine(awaited.eventStore, () => eventStore.ping())).toEqual({
    ok: false,
    detail: 'The event store does not answer: events are accepted, and processing waits',
  })
  await eventStore.close()
})

test('a Kafka that does not respond in time is reported with the time and the consequences', async () => {
  expect(await stateOfEngine(awaited.log, () => new Promise(() => {}), 20)).toEqual({
    ok: false,
    detail: 'Kafka has not answered for 0.02 seconds: events are not accepted (503), and processing waits',
  })
})

test.each([
  [
    'a code of the system',
    Object.assign(new Error('connect to db-7.shop.example'), { code: 'EHOSTUNREACH' }),
    ' (EHOSTUNREACH)',
  ],
  ['a text with an address', new Error('connect to db-7.shop.example'), ''],
  ['a code that is a text of its own', Object.assign(new Error(''), { code: 'user ada' }), ''],
  ['no error at all', 'db-7.shop.example', ''],
])('a failure with %s is reported only as a code', async (_, failure, shown) => {
  const state = await stateOfEngine(awaited.blobs, () => Promise.reject(failure))
  expect(state).toEqual({
    ok: false,
    detail: `The bucket for pictures does not answer${shown}: pictures are not shown`,
  })
})

test('an engine that responds is up, without a detail', async () => {
  expect(await stateOfEngine(awaited.blobs, async () => true)).toEqual({ ok: true })
})

/** Creates a pipeline role whose thread has waited for this time. */
const waitingFor = (answer: () => Promise<unknown>): Role<PipelineMessages> => ({
  start: async () => {},
  running: () => true,
  wake: () => {},
  ...createClient(pipelineMessages, answer),
  stop: async () => {},
})
const alone = (answer: () => Promise<unknown>) => ({
  pipeline: waitingFor(answer),
  delivery: undefined,
  profiles: undefined,
  groups: undefined,
})

test.each([
  [0, { ok: true }],
  [9000, { ok: true }],
  [
    15_000,
    {
      ok: true,
      detail: 'Has waited for the event store for 15 seconds: events are accepted, and processing waits',
    },
  ],
  [
    75_000,
    {
      ok: false,
      detail: 'Has waited for the event store for 75 seconds: events are accepted, and processing waits',
    },
  ],
])('the state of a pipeline that has waited for the event store for %i ms is %j', async (ms, state) => {
  expect(
    await stateOfRole(
      alone(async () => ms),
      'pipeline',
    ),
  ).toEqual(state)
})

test('a running pipeline that does not respond or fails to respond is up, and a missing pipeline is down', async () => {
  expect(
    await stateOfRole(
      alone(() => new Promise(() => {})),
      'pipeline',
    ),
  ).toEqual({ ok: true })
  expect(
    await stateOfRole(
      alone(() => Promise.reject(new Error('it ended'))),
      'pipeline',
    ),
  ).toEqual({ ok: true })
  expect(await stateOfRole({ ...alone(async () => 0), pipeline: undefined }, 'pipeline')).toEqual({ ok: false })
})

test("for groups, the longest wait is reported, with the number of the process's groups", async () => {
  const threads = [waitingFor(async () => 0), waitingFor(async () => 61_000), waitingFor(() => new Promise(() => {}))]
  const group = { ...waitingFor(async () => 0), describe: () => 'has 3 of 8', threads: () => threads }
  const groups = { pipeline: group, delivery: group } as unknown as NonNullable<
    Parameters<typeof stateOfRole>[0]['groups']
  >
  const shared = { ...alone(async () => 0), groups }
  expect(await stateOfRole(shared, 'pipeline')).toEqual({
    ok: false,
    detail: 'has 3 of 8. Has waited for the event store for 61 seconds: events are accepted, and processing waits',
  })
  expect(await stateOfRole(shared, 'delivery')).toEqual({ ok: true, detail: 'has 3 of 8' })
})
