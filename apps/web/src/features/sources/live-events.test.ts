import { describe, expect, test } from 'vitest'
import {
  initialLive,
  type LiveAction,
  type LiveEvent,
  type LiveState,
  liveReducer,
  mergeEvents,
  newEventsLabel,
} from './live-events.ts'

const event = (n: number, second = n): LiveEvent => ({
  eventId: `0-${n}-0`,
  messageId: `m${n}`,
  type: 'track',
  title: `Event ${n}`,
  test: false,
  receiveTime: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString(),
  status: 'accepted',
  reason: '',
})
const range = (from: number, to: number): LiveEvent[] =>
  Array.from({ length: to - from + 1 }, (_, index) => event(from + index))
const received = (...events: LiveEvent[]): LiveAction => ({ type: 'received', events, skipped: 0 })
const run = (...actions: LiveAction[]): LiveState => actions.reduce(liveReducer, initialLive)
const ids = (events: readonly LiveEvent[]): string[] => events.map(({ messageId }) => messageId)

describe('at the top', () => {
  test('events are shown newest first, whatever order they come in', () => {
    expect(ids(run(received(event(2), event(3)), received(event(1))).events)).toEqual(['m3', 'm2', 'm1'])
  })
  test('events of one moment stand in the order of the stored list, however they come', () => {
    expect(ids(run(received(event(1, 5), event(3, 5)), received(event(2, 5))).events)).toEqual(['m3', 'm2', 'm1'])
  })
  test('a message id is shown once, within a message and across messages', () => {
    expect(ids(run(received(event(1), event(1)), received(event(1, 9), event(2))).events)).toEqual(['m2', 'm1'])
  })
  test('the newest 50 are kept', () => {
    const { events } = run(received(...range(1, 30)), received(...range(31, 60)))
    expect(events).toHaveLength(50)
    expect(events[0]?.messageId).toBe('m60')
    expect(events.at(-1)?.messageId).toBe('m11')
  })
  test('nothing waits', () => {
    expect(run(received(...range(1, 3)))).toMatchObject({ waiting: [], waitingCount: 0 })
  })
})

describe('scrolled away from the top', () => {
  const away: LiveAction[] = [received(event(1), event(2)), { type: 'scrolled', atTop: false }]
  test('the rows stay as they are and new events are counted', () => {
    const state = run(...away, received(event(3), event(2)), received(event(3), event(4)))
    expect(ids(state.events)).toEqual(['m2', 'm1'])
    expect(state.waitingCount).toBe(2)
  })
  test('coming back to the top takes them in', () => {
    const state = run(...away, received(event(3)), { type: 'scrolled', atTop: true })
    expect(ids(state.events)).toEqual(['m3', 'm2', 'm1'])
    expect(state).toMatchObject({ waiting: [], waitingCount: 0 })
  })
  test('the button takes them in', () => {
    expect(run(...away, received(event(3)), { type: 'takeIn' })).toMatchObject({ waitingCount: 0, atTop: true })
  })
  test('the count goes on beyond what is kept', () => {
    const state = run(...away, received(...range(3, 150)))
    expect(state.waitingCount).toBe(148)
    expect(state.waiting).toHaveLength(50)
  })
  test('events that the server left out are counted as new', () => {
    const state = run(...away, { type: 'received', events: [event(3)], skipped: 110 })
    expect(state.waitingCount).toBe(111)
    expect(ids(state.waiting)).toEqual(['m3'])
  })
  test('what the server left out is not counted again when it is read', () => {
    const left: LiveAction[] = [...away, { type: 'received', events: [event(3)], skipped: 2 }]
    const state = run(...left, { type: 'read', events: [event(4), event(3)] })
    expect(state).toMatchObject({ waitingCount: 3, missed: 1 })
    expect(ids(state.waiting)).toEqual(['m4', 'm3'])
    expect(liveReducer(state, { type: 'read', events: range(4, 8) })).toMatchObject({ waitingCount: 6, missed: 0 })
  })
  test('older events of a repeated read are not counted as new when the list is full', () => {
    const state = run(received(...range(101, 150)), { type: 'scrolled', atTop: false }, received(...range(1, 20)))
    expect(state.waitingCount).toBe(0)
  })
})

describe('paused', () => {
  test('nothing is taken in at the top until it is resumed', () => {
    const paused = run({ type: 'paused', paused: true }, received(event(1)))
    expect(paused.events).toEqual([])
    expect(ids(liveReducer(paused, { type: 'paused', paused: false }).events)).toEqual(['m1'])
  })
  test('scrolling to the top does not take in', () => {
    expect(
      run({ type: 'paused', paused: true }, { type: 'scrolled', atTop: false }, received(event(1)), {
        type: 'scrolled',
        atTop: true,
      }).events,
    ).toEqual([])
  })
})

test('cleared events stay away when the list is read again, newer ones come', () => {
  const cleared = run(received(event(1), event(2)), { type: 'clear' })
  expect(cleared.events).toEqual([])
  expect(ids(liveReducer(cleared, received(event(1), event(2), event(3))).events)).toEqual(['m3'])
})

test('what the server left out adds up until it is cleared', () => {
  const state = run({ type: 'received', events: [], skipped: 5 }, { type: 'received', events: [event(1)], skipped: 7 })
  expect(state.skipped).toBe(12)
  expect(liveReducer(state, { type: 'clear' }).skipped).toBe(0)
})

test('the first events can be removed and the list reset', () => {
  const state = run(received(event(1), event(2), event(3)), { type: 'removeFirst', count: 2 })
  expect(ids(state.events)).toEqual(['m1'])
  expect(liveReducer(state, { type: 'reset' })).toBe(initialLive)
})

test('merging nothing new keeps the same list', () => {
  const known = [event(1)]
  expect(mergeEvents(known, [event(1)])).toBe(known)
})

test.each([
  [1, '1 new event'],
  [2, '2 new events'],
  [98, '98 new events'],
  [99, '+99 new events'],
  [150, '+99 new events'],
])('%i waiting events read %j', (count, label) => {
  expect(newEventsLabel(count)).toBe(label)
})
