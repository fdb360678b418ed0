import { streamFactsOf } from '@tributary/contract'
import { expect, it, test } from 'vitest'
import type { DeliveryRecord } from '../log/record.ts'
import type { Item } from './in-flight-record.ts'
import { createKeyOrder, type Open, orderKey, versionOf } from './key-order.ts'

/** A record with one change for each of these keys. */
const recordOf = (offset: number, keys: readonly string[], kind: 'event' | 'audience' = 'audience'): DeliveryRecord => {
  const b = { k: 'audience' as const, n: 'audience c', e: [...keys] }
  const meta = streamFactsOf({ w: 'w', s: 's', d: ['d'], n: keys.length, ...(kind === 'audience' ? { b } : {}) })
  return {
    reference: { partition: 0, offset, time: 0, bytes: 1, lane: 'bulk', meta },
    events: () => [],
    values: () => undefined,
  }
}
const start = ({ blocks = true } = {}) => {
  const queued = { bytes: 0 }
  const order = createKeyOrder(queued, () => blocks)
  const take = (offset: number, key = 'k', row?: string): Open => {
    const [open] = order.take(recordOf(offset, [key]), [0], row) ?? []
    if (open === undefined) throw new Error('no order')
    return open
  }
  const itemOf = (open: Open): Item => ({ open, bytes: 10, index: 0, inFlight: { lane: 'live' } }) as unknown as Item
  const admit = (open: Open): unknown => {
    const verdict = order.admit(open, itemOf(open))
    return verdict.kind === 'behind' ? `behind ${verdict.nextTime}` : verdict.kind
  }
  const enter = (offset: number, key?: string): unknown => admit(take(offset, key))
  const released = () => {
    const { send, superseded, behind } = order.released() ?? { send: [], superseded: [], behind: [] }
    const offsets = (items: readonly Item[]): number[] => items.map(({ open }) => (open?.version ?? 0) / 65_536)
    return {
      send: offsets(send),
      superseded: offsets(superseded),
      behind: behind.map(({ item, nextTime }) => [...offsets([item]), nextTime]),
    }
  }
  return { order, queued, take, admit, enter, released }
}

/** The verdict on a change at offset 5, next to one other open change. */
test.each([
  ['an earlier one that is sent', 3, 'sending', 'hold'],
  ['an earlier one that is held', 3, 'held', 'hold'],
  ['an earlier one that is being taken', 3, 'taken', 'hold'],
  ['an earlier one that waits', 3, 'waiting', 'behind 701'],
  ['a later one that is sent', 7, 'sending', 'hold'],
  ['a later one that is held', 7, 'held', 'send'],
  ['a later one that is being taken', 7, 'taken', 'send'],
  ['a later one that waits', 7, 'waiting', 'send'],
  ['another copy of it that is sent', 5, 'sending', 'hold'],
  ['another copy of it that waits', 5, 'waiting', 'send'],
] as const)('a change beside %s has the expected next step', (_, offset, state, expected) => {
  const { order, take, admit } = start()
  const other = take(offset)
  if (state === 'waiting') order.park('r', [other], 700)
  else other.state = state
  expect(admit(take(5))).toBe(expected)
})

it('changes of different records do not wait for each other; in an ordered destination, no change waits for its key', () => {
  const { enter } = start()
  expect([enter(1, 'a'), enter(1, 'b'), enter(2, 'a')]).toEqual(['send', 'send', 'hold'])
  const inOrder = start({ blocks: false })
  expect([inOrder.enter(1), inOrder.enter(2)]).toEqual(['send', 'send'])
})

it('events of sources are not ordered by key and not tracked', () => {
  const { order } = start()
  expect(order.take(recordOf(1, ['a'], 'event'), [0])).toBeUndefined()
  expect(order.size('live')).toBe(0)
})

it('held changes are released one by one, each when the previous one is closed, with any outcome', () => {
  const { order, queued, take, admit, released } = start()
  const opens = [1, 2, 3].map((offset) => take(offset))
  const [first, second, third] = opens
  if (first === undefined || second === undefined || third === undefined) throw new Error('none')
  expect(opens.map(admit)).toEqual(['send', 'hold', 'hold'])
  expect([order.held('live'), queued.bytes]).toEqual([2, 20])
  expect(released().send).toEqual([])
  order.close(first, true)
  expect(released().send).toEqual([2])
  order.close(second, false)
  expect(released().send).toEqual([3])
  order.close(third, true)
  expect([order.size('live'), order.held('live'), queued.bytes, order.released()]).toEqual([0, 0, 0, undefined])
})

it('a change held behind a failed change waits until the failed one is retried', () => {
  const { order, take, admit, released } = start()
  const [first, second] = [take(1), take(2)]
  expect([admit(first), admit(second)]).toEqual(['send', 'hold'])
  order.wait(first, 900)
  expect(released()).toEqual({ send: [], superseded: [], behind: [[2, 901]] })
})

it('a change that is taken from its row again keeps its place; if the row is lost, changes that wait for it are released', () => {
  const { order, take, admit, enter } = start()
  const first = take(1)
  order.park('r-1', [first], 500)
  expect([order.knows('r-1'), order.knows('r-2')]).toEqual([true, false])
  expect(take(1, 'k', 'r-1')).toBe(first)
  expect([admit(first), enter(2)]).toEqual(['send', 'hold'])
  order.park('r-1', [first], 500)
  order.lost(['r-1'])
  expect(enter(3)).toBe('hold')
  expect(order.released()?.send).toHaveLength(1)
})

it('a change is not sent after a later one was delivered, whether it is held or was just taken', () => {
  const { order, take, admit, released } = start()
  const later = take(9)
  expect(admit(later)).toBe('send')
  const [older, old] = [take(3), take(4)]
  expect(admit(older)).toBe('hold')
  order.close(later, true)
  expect([admit(old), released().superseded, order.isSuperseded(older)]).toEqual(['superseded', [3], true])
})

it('a restored change may be superseded by an earlier delivery, and blocks later changes', () => {
  const { order, enter, take, admit } = start()
  order.restore('r-1', recordOf(1, ['k', 'other']), [0], 400)
  expect([order.knows('r-1'), enter(2), enter(2, 'other')]).toEqual([false, 'behind 401', 'send'])
  const look = order.beginLook()
  look.learn(orderKey('s', '', 'k'), versionOf({ offset: 2 }, 0))
  const open = take(1, 'k', 'r-1')
  look.end()
  expect(admit(open)).toBe('superseded')
})

it('a delivery during a look-up supersedes earlier changes that are taken after it', () => {
  const { order, take, admit } = start()
  const later = take(2)
  admit(later)
  const look = order.beginLook()
  order.close(later, true)
  const early = take(1)
  look.end()
  expect(admit(early)).toBe('superseded')
  order.close(early, false)
  // Deliveries are no longer tracked, since no look-up is running and no change is open.
  expect(order.size('live')).toBe(0)
  const again = order.beginLook()
  expect(admit(take(1))).toBe('send')
  again.end()
})
