import { type Compatibility, emptyObject, type SourceSchema } from '@tributary/contract'
import { describe, expect, test } from 'vitest'
import { type LiveEvent, validationOf } from './live-event.ts'
import {
  initialLive,
  type LiveAction,
  type LiveState,
  liveReducer,
  mergeEvents,
  neededPayloads,
  neighboursOf,
  newEventsLabel,
  shownEvents,
  waitingShown,
} from './live-events.ts'
import { type LiveFilters, noFilters } from './live-filters.ts'

const event = (n: number, second = n): LiveEvent => ({
  eventId: `0-${n}-0`,
  messageId: `m${n}`,
  type: 'track',
  title: `Event ${n}`,
  user: 'u1',
  test: false,
  receiveTime: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString(),
  status: 'accepted',
  reason: '',
  compatibility: '',
  schemaVersion: 0,
  payload: undefined,
})
const range = (from: number, to: number): LiveEvent[] =>
  Array.from({ length: to - from + 1 }, (_, index) => event(from + index))
const received = (...events: LiveEvent[]): LiveAction => ({ type: 'received', events, skipped: 0 })
const run = (...actions: LiveAction[]): LiveState => actions.reduce(liveReducer, initialLive)
const ids = (events: readonly LiveEvent[]): string[] => events.map(({ messageId }) => messageId)

test('EVT-25: the debugger starts without events, with filters that match everything, and with a schema', () => {
  expect(initialLive).toMatchObject({
    events: [],
    filters: { text: '', type: '', environment: '', compatibility: '' },
    schema: { events: new Map() },
  })
  const schema = { events: new Map([['Paid', emptyObject]]), user: emptyObject }
  expect(run({ type: 'schema', schema }).schema).toBe(schema)
})

describe('live events at the top of the list', () => {
  test('at the top, events are shown newest first, in any order of arrival (EVT-32)', () => {
    expect(ids(run(received(event(2), event(3)), received(event(1))).events)).toEqual(['m3', 'm2', 'm1'])
  })
  test('at the top, events with the same time have the same order as in the stored list, in any order of arrival', () => {
    expect(ids(run(received(event(1, 5), event(3, 5)), received(event(2, 5))).events)).toEqual(['m3', 'm2', 'm1'])
  })
  test('EVT-26, EVT-31: a message ID is shown once, within a message and across messages', () => {
    expect(ids(run(received(event(1), event(1)), received(event(1, 9), event(2))).events)).toEqual(['m2', 'm1'])
  })
  test('at the top, a blocked event is replaced only by its own replay', () => {
    const blocked: LiveEvent = { ...event(1), status: 'blocked' }
    const replayed: LiveEvent = { ...event(3), messageId: 'm1' }
    expect(run(received(blocked, event(2)), received(replayed, blocked)).events).toEqual([replayed, event(2)])
    expect(run(received(replayed), received(blocked)).events).toEqual([replayed])
    expect(run(received(blocked), received(blocked)).events).toEqual([blocked])
  })
  test('at the top, the newest 50 of 60 events are kept (EVT-30)', () => {
    const { events } = run(received(...range(1, 30)), received(...range(31, 60)))
    expect(events).toHaveLength(50)
    expect(events[0]?.messageId).toBe('m60')
    expect(events.at(-1)?.messageId).toBe('m11')
  })
  test('at the top, no event waits', () => {
    expect(run(received(...range(1, 3)))).toMatchObject({ waiting: [], waitingCount: 0 })
  })
})

describe('live events while scrolled down', () => {
  const away: LiveAction[] = [received(event(1), event(2)), { type: 'scrolled', atTop: false }]
  test('EVT-33: while scrolled down, the rows stay unchanged and new events are counted', () => {
    const state = run(...away, received(event(3), event(2)), received(event(3), event(4)))
    expect(ids(state.events)).toEqual(['m2', 'm1'])
    expect(state.waitingCount).toBe(2)
  })
  test('scrolling back to the top adds the waiting events to the list', () => {
    const state = run(...away, received(event(3)), { type: 'scrolled', atTop: true })
    expect(ids(state.events)).toEqual(['m3', 'm2', 'm1'])
    expect(state).toMatchObject({ waiting: [], waitingCount: 0 })
  })
  test('the button adds the waiting events to the list', () => {
    expect(run(...away, received(event(3)), { type: 'takeIn' })).toMatchObject({ waitingCount: 0, atTop: true })
  })
  test('the count of waiting events includes those that are no longer kept', () => {
    const state = run(...away, received(...range(3, 150)))
    expect(state.waitingCount).toBe(148)
    expect(state.waiting).toHaveLength(50)
  })
  test('events that the server omitted are counted as new', () => {
    const state = run(...away, { type: 'received', events: [event(3)], skipped: 110 })
    expect(state.waitingCount).toBe(111)
    expect(ids(state.waiting)).toEqual(['m3'])
  })
  test('omitted events are not counted again when they are loaded', () => {
    const left: LiveAction[] = [...away, { type: 'received', events: [event(3)], skipped: 2 }]
    const state = run(...left, { type: 'read', events: [event(4), event(3)] })
    expect(state).toMatchObject({ waitingCount: 3, missed: 1 })
    expect(ids(state.waiting)).toEqual(['m4', 'm3'])
    expect(liveReducer(state, { type: 'read', events: range(4, 8) })).toMatchObject({ waitingCount: 6, missed: 0 })
  })
  test('if the list is full, older events that a repeated load returns do not count as new', () => {
    const state = run(received(...range(101, 150)), { type: 'scrolled', atTop: false }, received(...range(1, 20)))
    expect(state.waitingCount).toBe(0)
  })
})

describe('live events while paused', () => {
  test('while paused, no event is added at the top until the list is resumed', () => {
    const paused = run({ type: 'paused', paused: true }, received(event(1)))
    expect(paused.events).toEqual([])
    expect(ids(liveReducer(paused, { type: 'paused', paused: false }).events)).toEqual(['m1'])
  })
  test('while paused, scrolling to the top does not add events', () => {
    expect(
      run({ type: 'paused', paused: true }, { type: 'scrolled', atTop: false }, received(event(1)), {
        type: 'scrolled',
        atTop: true,
      }).events,
    ).toEqual([])
  })
})

test('cleared events do not return when the list is reloaded, but newer ones appear', () => {
  const cleared = run(received(event(1), event(2)), { type: 'clear' })
  expect(cleared.events).toEqual([])
  expect(ids(liveReducer(cleared, received(event(1), event(2), event(3))).events)).toEqual(['m3'])
})

test('omitted events add up until the list is cleared', () => {
  const state = run({ type: 'received', events: [], skipped: 5 }, { type: 'received', events: [event(1)], skipped: 7 })
  expect(state.skipped).toBe(12)
  expect(liveReducer(state, { type: 'clear' }).skipped).toBe(0)
})

describe('omitted events', () => {
  const burst: LiveAction = { type: 'received', events: range(8, 36), skipped: 7 }
  test('after a burst of 36 events of which seven are omitted, none is missing once the list is reloaded', () => {
    const state = run(burst, { type: 'read', events: range(1, 36) })
    expect(ids(state.events)).toEqual(
      range(1, 36)
        .map(({ messageId }) => messageId)
        .reverse(),
    )
    expect(state).toMatchObject({ skipped: 0, leftOut: 0 })
  })
  test('omitted events that a reload did not return count as missing until a later reload returns them', () => {
    const early = run(burst, { type: 'read', events: range(6, 36) })
    expect(early).toMatchObject({ skipped: 0, leftOut: 5 })
    expect(liveReducer(early, { type: 'read', events: range(1, 36) }).leftOut).toBe(0)
    expect(liveReducer(early, { type: 'clear' }).leftOut).toBe(0)
  })
})

describe('the neighbors of an event', () => {
  const shown = [event(9), event(7), event(5)]
  test.each([
    [event(7), 9, 5, 1],
    [event(9), undefined, 7, 0],
    [event(5), 7, undefined, 2],
    [event(6), 7, 5, -1],
    [event(1), 5, undefined, -1],
    [event(10), undefined, 9, -1],
  ])(
    'the neighbors of %j are the next newer and the next older event, even if the list has dropped it',
    (one, newer, older, place) => {
      const title = (n: number | undefined) => (n === undefined ? undefined : event(n))
      expect(neighboursOf(shown, one)).toEqual({ newer: title(newer), older: title(older), place })
    },
  )
  test('an unknown event has no neighbors', () => {
    expect(neighboursOf(shown, undefined)).toEqual({ newer: undefined, older: undefined, place: -1 })
  })
})

test('with a property column, payloads of all listed events are loaded, but of waiting events only if their validation needs them', () => {
  const state = run(received(event(1), event(2)), { type: 'scrolled', atTop: false }, received(event(3)))
  expect(neededPayloads(state, false)).toBe('')
  expect(neededPayloads(state, true)).toBe('0-2-0,0-1-0')
  const read = liveReducer(state, { type: 'detailed', events: [{ eventId: '0-2-0', payload: null }] })
  expect(neededPayloads(read, true)).toBe('0-1-0')
})

const text = (words: string): LiveFilters => ({ ...noFilters, text: words })

test('EVT-27: clearing empties the list and keeps the filters', () => {
  const state = run(received(event(1), event(2)), { type: 'filtered', filters: text('Event') }, { type: 'clear' })
  expect(state.events).toEqual([])
  expect(state.filters).toEqual(text('Event'))
})

test('EVT-29: a reset clears events and filters and keeps the schema, and cleared events do not return', () => {
  const schema = { events: new Map([['Paid', emptyObject]]) }
  const state = run({ type: 'schema', schema }, received(event(1)), { type: 'filtered', filters: text('Event') })
  const reset = liveReducer(state, { type: 'reset' })
  expect(reset).toMatchObject({ events: [], filters: noFilters })
  expect(reset.schema).toBe(schema)
  expect(ids(liveReducer(reset, received(event(1), event(2))).events)).toEqual(['m2'])
})

describe('with filters', () => {
  const only = (filters: LiveFilters): LiveAction => ({ type: 'filtered', filters })
  test('matching events are shown, and all events are kept', () => {
    const state = run(received(event(1), event(2), event(12)), only(text('event 1')))
    expect(ids(shownEvents(state))).toEqual(['m12', 'm1'])
    expect(state.events).toHaveLength(3)
    expect(ids(shownEvents(liveReducer(state, only(noFilters))))).toEqual(['m12', 'm2', 'm1'])
  })
  test('only matching events count as new, and omitted ones do not', () => {
    const state = run(
      only(text('Event 1')),
      { type: 'scrolled', atTop: false },
      received(...range(1000, 1149), ...range(2000, 2010)),
      { type: 'received', events: [], skipped: 7 },
    )
    expect(waitingShown(state)).toBe(150)
    expect(waitingShown(liveReducer(state, only(noFilters)))).toBe(168)
  })
  test('waiting events are counted again when the filters change', () => {
    const state = run({ type: 'scrolled', atTop: false }, received(...range(8, 12)), only(text('Event 1')))
    expect(waitingShown(state)).toBe(3)
    expect(waitingShown(liveReducer(state, only(text('nothing'))))).toBe(0)
    expect(waitingShown(liveReducer(state, { type: 'takeIn' }))).toBe(0)
  })
})

test('a loaded event keeps its position and gets its payload once', () => {
  const state = run(received(event(1), event(2)))
  const detailed = liveReducer(state, { type: 'detailed', events: [{ ...event(1), payload: { properties: {} } }] })
  expect(detailed.events.map(({ payload }) => payload)).toEqual([undefined, { properties: {} }])
  expect(liveReducer(detailed, { type: 'detailed', events: [{ ...event(1), payload: {} }] })).toBe(detailed)
  expect(liveReducer(detailed, { type: 'detailed', events: [event(9)] })).toBe(detailed)
})

describe('when the schema changes', () => {
  const paid = (name: string): SourceSchema => ({ events: new Map([[name, emptyObject]]) })
  const named = (n: number, title: string, compatibility: Compatibility): LiveEvent => ({
    ...event(n),
    title,
    compatibility,
    schemaVersion: 1,
  })
  const results = (state: LiveState) =>
    state.events.map((each) => [each.title, validationOf(each, state)?.compatibility])
  const before = run(
    { type: 'schema', schema: paid('Known'), version: 1 },
    received(named(1, 'Known', 'compatible'), named(2, 'New', 'incompatible'), named(3, 'New', 'incompatible')),
    { type: 'scrolled', atTop: false },
    received(named(4, 'New', 'incompatible')),
    { type: 'filtered', filters: { ...noFilters, compatibility: 'incompatible' } },
  )
  const both: SourceSchema = { events: new Map([...paid('Known').events, ...paid('New').events]) }

  test('no row shows an event as unknown after it was added to the schema, even before the server has saved it (EVT-38, EVT-46)', () => {
    expect(ids(shownEvents(before))).toEqual(['m3', 'm2'])
    expect(waitingShown(before)).toBe(1)
    expect(neededPayloads(before, false)).toBe('')
    const after = liveReducer(before, { type: 'schema', schema: both })
    expect(shownEvents(after)).toEqual([])
    expect(waitingShown(after)).toBe(0)
    expect(results(after)).toEqual([
      ['New', undefined],
      ['New', undefined],
      ['Known', 'compatible'],
    ])
    // The first ones are those that are shown first.
    expect(neededPayloads(after, false)).toBe('0-3-0,0-2-0,0-4-0')
    const read = liveReducer(after, {
      type: 'detailed',
      events: [
        { eventId: '0-2-0', payload: { properties: {} } },
        { eventId: '0-3-0', payload: { properties: { total: 1 } } },
      ],
    })
    expect(results(read)).toEqual([
      ['New', 'needsAttention'],
      ['New', 'compatible'],
      ['Known', 'compatible'],
    ])
    expect(neededPayloads(read, false)).toBe('0-4-0')
    // When the server rejects the change, everything is as before.
    expect(results(liveReducer(read, { type: 'schema', schema: paid('Known'), version: 1 }))).toEqual(results(before))
  })

  test('an unsaved schema is not treated as a version', () => {
    const after = run(
      { type: 'schema', schema: paid('Known'), version: 1 },
      { type: 'schema', schema: both },
      { type: 'schema', schema: paid('Other'), version: 2 },
    )
    expect([...after.versions]).toEqual([
      [1, paid('Known')],
      [2, paid('Other')],
    ])
  })

  test('at most fifty payloads are requested together', () => {
    const state = run(received(...range(1, 50)), { type: 'scrolled', atTop: false }, received(...range(51, 100)))
    const known = liveReducer(state, {
      type: 'schema',
      schema: { events: new Map(range(1, 100).map(({ title }) => [title, emptyObject])) },
    })
    expect(neededPayloads(known, false).split(',')).toEqual(state.events.map(({ eventId }) => eventId))
  })
})

test('merging events that are already in the list returns the same list', () => {
  const known = [event(1)]
  expect(mergeEvents(known, [event(1)])).toBe(known)
})

test.each([
  [1, '1 new event'],
  [2, '2 new events'],
  [98, '98 new events'],
  [99, '+99 new events'],
  [150, '+99 new events'],
])('EVT-07: %i waiting events are labeled %j', (count, label) => {
  expect(newEventsLabel(count)).toBe(label)
})
