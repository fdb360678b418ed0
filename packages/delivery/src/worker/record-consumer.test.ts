import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createWorkShare, silentLogger } from '@tributary/kernel'
import { expect, it } from 'vitest'
import type { DeliveryRecord } from '../log/record.ts'
import { createBatchQueue } from './batch-queue.ts'
import type { InFlightRecord } from './in-flight-record.ts'
import { createKeyOrder } from './key-order.ts'
import type { Outcomes } from './outcomes.ts'
import type { Ready } from './readiness.ts'
import { createRecordConsumer } from './record-consumer.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const batching = { maxEvents: 1, maxBytes: 1000, maxWaitMs: 0 }
const names = Array.from({ length: 100 }, (_, index) => `m${index}`)
const recordOf = (): DeliveryRecord => {
  const meta = { w: 'w-1', s: 's-1', d: ['d-1'], n: names.length }
  const events = names.map((messageId) => ({ eventId: '', messageId, type: 'track' as const, event: '', json: '{}' }))
  return {
    reference: { partition: 0, offset: 0, time: 0, bytes: 0, meta },
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

/** Takes a record, and lets all but one of its events leave; what is kept of them is what nobody else holds on to. */
const takeAndSend = async (): Promise<{
  records: InFlightRecord[]
  record: WeakRef<object>
  first: WeakRef<object>
}> => {
  const record = recordOf()
  consume(record, undefined, () => {})
  // On a busy machine they are checked at several turns.
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

it('what was sent is not kept in memory by what waits for its row, nor by what is queued behind it', async () => {
  const { records, record, first } = await takeAndSend()
  // References that were looked at are held until the end of this turn.
  await nextTurn()
  collectGarbage()
  expect(records).toHaveLength(1)
  expect(batchQueue.length()).toBe(1)
  expect(record.deref(), 'the record').toBeUndefined()
  expect(first.deref(), 'an event').toBeUndefined()
})
