import type { ProfileEvent } from '@tributary/contract'
import { expect, test } from 'vitest'
import { withNewest } from './newest.ts'

const event = (event_id: string, status = 'retry'): ProfileEvent =>
  ({ event_id, outcomes: [{ destination: 'd', status, time: '', attempt: 1 }] }) as unknown as ProfileEvent
const texts = (events: readonly ProfileEvent[] | undefined): string[] | undefined =>
  events?.map(({ event_id, outcomes }) => `${event_id} ${outcomes[0]?.status}`)

test('newer events are added at the front, and outcomes are updated', () => {
  const listed = [event('c'), event('b'), event('a')]
  expect(texts(withNewest(listed, [event('d'), event('c', 'delivered')], 2))).toEqual([
    'd retry',
    'c delivered',
    'b retry',
    'a retry',
  ])
  expect(texts(withNewest(listed, [], 2))).toEqual(['c retry', 'b retry', 'a retry'])
  expect(texts(withNewest([], [event('d'), event('c')], 2))).toEqual(['d retry', 'c retry'])
})

test('a gap between the listed and the newest events is reported', () => {
  expect(withNewest([event('a')], [event('d'), event('c')], 2)).toBeUndefined()
  expect(texts(withNewest([event('a')], [event('b')], 2))).toEqual(['b retry', 'a retry'])
})
