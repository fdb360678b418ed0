import { streamFactsOf } from '@tributary/contract'
import { noMetrics } from '@tributary/kernel'
import { expect, it } from 'vitest'
import type { EventFailure, InFlightRecord, Item } from './in-flight-record.ts'
import { createKeyOrder } from './key-order.ts'
import type { ParkedRow, ParkingChange } from './parked-row.ts'
import type { Parking } from './parking.ts'
import { createRetryQueue } from './retry-queue.ts'

/** A queue with a fake store, which writes when `write` is called. */
const start = () => {
  const pushed: { change: ParkingChange; settle: (unwritten: ReadonlySet<string>) => void }[] = []
  const parking = {
    push: (change: ParkingChange, settle: (unwritten: ReadonlySet<string>) => void) =>
      void pushed.push({ change, settle }),
  }
  const queue = createRetryQueue(
    'd-1',
    { parking: parking as Parking, metrics: noMetrics, clock: () => 1000 },
    createKeyOrder({ bytes: 0 }, () => true),
  )
  return { ...queue, changes: () => pushed.map(({ change }) => change), write: () => pushed.shift()?.settle(new Set()) }
}

const partOf = (open: number, row?: ParkedRow, finish = (): void => {}): InFlightRecord => ({
  record: {
    partition: 0,
    offset: 7,
    time: 0,
    bytes: 100,
    lane: 'live',
    meta: streamFactsOf({ w: 'w-1', s: 's-1', d: ['d-1'], n: 4 }),
  },
  row,
  lane: 'live',
  open,
  failures: [],
  finish,
})
const waiting = (index: number, nextTime: number): EventFailure => ({
  index,
  eventId: `0-7-${index}`,
  decision: { kind: 'waiting', nextTime, reason: 'HTTP 500' },
  result: undefined,
})
const dead = (index: number): EventFailure => ({
  index,
  eventId: `0-7-${index}`,
  decision: { kind: 'dead', reason: 'HTTP 400' },
  result: undefined,
})

it('a record in flight is released once its parked events are durable, and only then the row is counted', () => {
  let finished = 0
  const { park, rows, write } = start()
  const inFlight = partOf(2, undefined, () => void finished++)
  park(inFlight, [waiting(0, 5000), dead(1)], 2, 1000)
  expect([finished, rows.waiting, rows.unparked]).toEqual([0, 0, 1])
  write()
  expect([finished, rows.waiting, rows.unparked, rows.nextDue]).toEqual([1, 1, 0, 5000])
})

it('a row is replaced by the outcomes of its events, and stays unchanged if no event was tried', () => {
  const { park, close, rows, changes, write } = start()
  park(partOf(2), [waiting(0, 5000), waiting(1, 5000)], 1, 1000)
  const [row] = changes()[0]?.rows ?? []
  write()
  if (row === undefined) throw new Error('nothing was parked')
  rows.taken.set(row.id, row.partition)
  const returned = { kind: 'returned' as const }
  const untried = partOf(0, row)
  untried.failures.push({ ...waiting(0, 0), decision: returned }, { ...waiting(1, 0), decision: returned })
  close(untried, row)
  expect([changes(), rows.taken.size, rows.waiting]).toEqual([[], 0, 1])
  rows.taken.set(row.id, row.partition)
  const tried = partOf(0, row)
  tried.failures.push(dead(1))
  close(tried, row)
  expect(changes()).toMatchObject([{ deletes: [row.id], rows: [{ indexes: [1], state: 'dead' }] }])
  write()
  expect([rows.taken.size, rows.waiting]).toEqual([0, 0])
})

it('hanging events get their own row, which releases their record, and their outcome is written to that row', () => {
  let finished = 0
  const { takeOver, rows, changes, write } = start()
  const inFlight = partOf(2, undefined, () => void finished++)
  const items = [0, 1].map((index) => ({ inFlight, index, event: { eventId: `0-7-${index}` } }) as Item)
  takeOver(inFlight, items, 1000)
  expect([finished, rows.taken.size]).toEqual([0, 1])
  write()
  expect([finished, rows.waiting]).toEqual([1, 1])
  expect(items.map((item) => item.inFlight.row?.indexes)).toEqual([
    [0, 1],
    [0, 1],
  ])
  expect(changes()).toEqual([])
})

it('a row keeps the profiles of its events, except for those of a deleted user', () => {
  const { park, close, changes } = start()
  const profile = { json: '{"traits":{"email":"one@example.com"}}', lacks: '', needs: ['traits.email'], version: '' }
  park(
    partOf(2),
    [0, 1].map((index) => ({ ...waiting(index, 5000), profile })),
    1,
    1000,
  )
  const [row] = changes()[0]?.rows ?? []
  if (row === undefined) throw new Error('nothing was parked')
  const again = partOf(0, row)
  again.failures.push({ ...waiting(0, 9000), profile: null }, waiting(1, 9000))
  close(again, row)
  expect(
    changes()
      .at(-1)
      ?.rows.map(({ profiles }) => profiles),
  ).toEqual([{ '0-7-1': profile }])
})
