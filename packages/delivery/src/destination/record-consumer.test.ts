import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { streamFactsOf } from '@tributary/contract'
import { createWorkShare, setHeldWork, silentLogger } from '@tributary/kernel'
import { expect, it, onTestFinished } from 'vitest'
import type { DeliveryRecord } from '../log/record.ts'
import type { InFlightRecord } from '../parking/in-flight-record.ts'
import { createKeyOrder } from '../parking/key-order.ts'
import type { Outcomes, SkippedEvent } from './outcomes.ts'
import type { Ready } from './readiness.ts'
import { createRecordConsumer } from './record-consumer.ts'
import { deliveryItem } from './sending.ts'
import { createBatchQueue } from './worker-lane.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const batching = { maxEvents: 1, maxBytes: 1000, maxWaitMs: 0 }
const names = Array.from({ length: 100 }, (_, index) => `m${index}`)
const recordOf = (): DeliveryRecord => {
  const meta = streamFactsOf({ w: 'w-1', s: 's-1', d: ['d-1'], n: names.length })
  const events = names.map((messageId) => ({ eventId: '', messageId, type: 'track' as const, event: '', json: '{}' }))
  return {
    reference: { partition: 0, offset: 0, time: 0, bytes: 0, lane: 'live' as const, meta },
    events: () => events,
    values: () => undefined,
  }
}

const batchQueue = createBatchQueue({ bytes: 0 })
const consume = createRecordConsumer({
  id: 'd-1',
  lane: 'live',
  context: {
    clock: () => 0,
    logger: silentLogger,
    destinationCache: { get: () => undefined, ready: async () => {} },
    workShare: createWorkShare(),
  },
  outcomes: {} as Outcomes,
  queue: batchQueue,
  order: createKeyOrder({ bytes: 0 }, () => true),
  ready: () => ({ batching, gate: () => ({ kind: 'pass', action: 'send' }) }) as unknown as Ready,
  sends: () => true,
  wake: () => {},
})

/** Consumes a record and sends all but one of its events. Returns weak references to check what stays in memory. */
const takeAndSend = async (): Promise<{
  records: InFlightRecord[]
  record: WeakRef<object>
  first: WeakRef<object>
}> => {
  const record = recordOf()
  consume(record, undefined, () => {})
  // On a busy machine the events are checked in several turns.
  while (consume.pending() > 0) await nextTurn()
  const sent = names.slice(1).flatMap(() => {
    const batch = batchQueue.next(batching, 0, false)
    return typeof batch === 'number' ? [] : batch
  })
  return {
    records: [...new Set(sent.map(({ inFlight }) => inFlight))],
    record: new WeakRef(record),
    first: new WeakRef(sent[0]?.event ?? {}),
  }
}

it('sent events are kept in memory neither by their pending rows nor by queued events', async () => {
  const { records, record, first } = await takeAndSend()
  // Weak references that were read keep their target until the end of this turn.
  await nextTurn()
  collectGarbage()
  expect(records).toHaveLength(1)
  expect(batchQueue.length()).toBe(1)
  expect(record.deref(), 'the record').toBeUndefined()
  expect(first.deref(), 'an event').toBeUndefined()
})

it('an event that is held because it blocked the thread fails with that reason without being checked, and the other events are sent', async () => {
  onTestFinished(() => setHeldWork(new Map()))
  setHeldWork(new Map([[deliveryItem('d-1', 'held'), 'It blocked the thread delivery twice']]))
  const skipped: SkippedEvent[] = []
  const checked: number[] = []
  const queue = createBatchQueue({ bytes: 0 })
  const meta = streamFactsOf({ w: 'w-1', s: 's-1', d: ['d-1'], n: 3 })
  const events = ['a', 'held', 'c'].map((eventId) => ({
    eventId,
    messageId: eventId,
    type: 'track' as const,
    event: '',
    json: '{}',
  }))
  const take = createRecordConsumer({
    id: 'd-1',
    lane: 'live',
    context: {
      clock: () => 0,
      logger: silentLogger,
      destinationCache: { get: () => undefined, ready: async () => {} },
      workShare: createWorkShare(),
    },
    outcomes: { skip: (given: readonly SkippedEvent[]) => skipped.push(...given) } as unknown as Outcomes,
    queue,
    order: createKeyOrder({ bytes: 0 }, () => true),
    ready: () =>
      ({
        batching,
        gate: (_: unknown, index: number) => {
          checked.push(index)
          return { kind: 'pass', action: 'send' }
        },
      }) as unknown as Ready,
    sends: () => true,
    wake: () => {},
  })
  const reference = { partition: 0, offset: 0, time: 0, bytes: 0, lane: 'live' as const, meta }
  take({ reference, events: () => events, values: () => undefined }, undefined, () => {})
  while (take.pending() > 0) await nextTurn()
  expect(checked).toEqual([0, 2])
  expect(skipped.map(({ event, gateResult }) => [event.eventId, gateResult])).toEqual([
    ['held', { kind: 'failed', reason: 'It blocked the thread delivery twice' }],
  ])
  expect(queue.length()).toBe(2)
})
