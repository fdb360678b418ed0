import { expect, test } from 'vitest'
import type { ParkedRow } from './parked-row.ts'
import { createPlaceOrder } from './place-order.ts'
import type { WorkerRows } from './retry-queue.ts'
import { createSpilledRanges } from './spilled-ranges.ts'

const start = (busy = () => false) => {
  const rows: WorkerRows = { waiting: 0, nextDue: 0, taken: new Map(), unparked: 0, version: 0, handovers: 0 }
  const spilled = createSpilledRanges()
  const hold = (offset: number, partition = 0): void =>
    spilled.add(
      { partition, offset, time: offset, bytes: 1, workspaceId: 'w', sourceId: 's', needsReport: false, events: 1 },
      0,
    )
  return { rows, spilled, hold, order: createPlaceOrder({ rows, spilled, busy }) }
}
const row = (offset: number, partition = 0): ParkedRow => ({
  id: `r-${offset}`,
  workspaceId: 'w',
  sourceId: 's',
  destinationId: 'd-1',
  needsReport: false,
  lane: 'live',
  partition,
  offset,
  indexes: [0],
  eventIds: [],
  attempts: 1,
  firstTime: 0,
  nextTime: 0,
})

test.each([
  ['a row before the range comes first, and nothing of the range is read', [row(3)], [5], true, undefined],
  ['a row at the range comes first', [row(5)], [5], true, undefined],
  ['a row behind it bounds what is read of the range', [row(7)], [5], false, 7],
  ['a row of another partition comes first', [row(7, 1)], [5], true, undefined],
  ['without a row the whole range may be read', [], [5], undefined, Number.POSITIVE_INFINITY],
])('%s', (_, heads, offsets, isNext, limit) => {
  const { order, spilled, hold } = start()
  for (const offset of offsets) hold(offset)
  const [head] = heads
  order.learn(head)
  const range = spilled.next()
  if (range === undefined) throw new Error('no range')
  expect([head && order.isNext(head), order.limit(range)]).toEqual([isNext, limit])
})

test('the head of an ordered destination stays valid until another row may wait', () => {
  const { order, rows, spilled, hold } = start()
  hold(5)
  const range = spilled.next()
  if (range === undefined) throw new Error('no range')
  expect([order.known(), order.limit(range)]).toEqual([false, undefined])
  order.learn(row(7))
  expect([order.known(), order.head()?.offset, order.limit(range)]).toEqual([true, 7, 7])
  rows.version++
  expect([order.known(), order.head(), order.limit(range)]).toEqual([false, undefined, undefined])
})

test('an ordered destination has no next item until everything that was taken or failed is durable', () => {
  let busy = true
  const { order, rows, spilled, hold } = start(() => busy)
  hold(5)
  const range = spilled.next()
  if (range === undefined) throw new Error('no range')
  rows.unparked = 1
  rows.taken.set('x', 0)
  order.settleFirst()
  order.learn(undefined)
  const looks: [boolean, number | undefined][] = []
  const look = (): void => void looks.push([order.settled(), order.limit(range)])
  look()
  busy = false
  look()
  rows.unparked = 0
  look()
  rows.taken.clear()
  look()
  expect(looks).toEqual([
    [false, undefined],
    [false, undefined],
    [false, undefined],
    [true, Number.POSITIVE_INFINITY],
  ])
})
