import type { EventDetail } from '@tributary/contract'
import { expect, test } from 'vitest'
import { outcomeOf } from './outcome.ts'

const event: EventDetail = {
  state: 'stored',
  name: 'workspaces/w1/events/e1',
  event_id: 'e1',
  message_id: 'm1',
  type: 'track',
  title: 'Order Completed',
  source: 'workspaces/w1/sources/s1',
  test: false,
  status: 'accepted',
  reason: '',
  user_id: 'u1',
  anonymous_id: '',
  compatibility: 'compatible',
  schema_version: 3,
  receive_time: '2024-02-03T14:25:00.000Z',
  timestamp: '2024-02-03T14:25:00.000Z',
  group_id: '',
  previous_id: '',
  original_timestamp: null,
  sent_at: null,
  ip: '203.0.113.7',
  problems: [],
  replay_time: null,
  payload: {},
  payload_text: '{}',
  original: '{}',
  deliveries: [],
}

const stepsOf = (change: Partial<EventDetail>): string[] =>
  outcomeOf({ ...event, ...change }).map(({ title, tone }) => `${title} ${tone}`)

test.each([
  ['an event that fits', {}, ['Received success', 'Compatible success']],
  [
    'one with a time that is not understood',
    { reason: 'time_not_understood: timestamp is not a known time, and kept as sent.' },
    ['Received success', 'Accepted with a note warning', 'Compatible success'],
  ],
  ['one that fits in part', { compatibility: 'needsAttention' }, ['Received success', 'Needs attention warning']],
  ['an unknown one', { compatibility: 'incompatible' }, ['Received success', 'New to the schema accent']],
  ['one that nothing validated', { compatibility: '', schema_version: 0 }, ['Received success', 'Not checked neutral']],
  ['a rejected one', { status: 'rejected', compatibility: '' }, ['Received neutral', 'Rejected danger']],
  [
    'a blocked one',
    { status: 'blocked', compatibility: 'incompatible' },
    ['Received success', 'New to the schema accent', 'Blocked warning'],
  ],
  [
    'one that was sent again',
    { status: 'blocked', compatibility: 'incompatible', replay_time: '2024-02-04T00:00:00.000Z' },
    ['Received success', 'New to the schema accent', 'Blocked warning', 'Replayed success'],
  ],
  ['one over a limit of the plan', { status: 'held' }, ['Received success', 'Compatible success', 'Held warning']],
  [
    'one that was released',
    { status: 'held', replay_time: '2024-02-04T00:00:00.000Z' },
    ['Received success', 'Compatible success', 'Held warning', 'Released success'],
  ],
] as const)('the steps and tones of the outcome are correct for %s', (_title, change, steps) => {
  expect(stepsOf(change)).toEqual(steps)
})

test("the outcome names the sender's address, the version that validated the event, and the reason of a rejection", () => {
  expect(outcomeOf(event).map(({ text }) => text)).toEqual([
    'Accepted from 203.0.113.7 and stored.',
    'This event is fully compatible with the source schema. It was checked against version 3.',
  ])
  expect(outcomeOf({ ...event, ip: '', status: 'rejected', reason: 'name_missing: Name it.' }).at(-1)?.text).toBe(
    'Name it. Fix the sender and send it again. It was not delivered.',
  )
})
