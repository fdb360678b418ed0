import { expect, test } from 'vitest'
import { readShare, withoutProfileText } from './coverage-words.ts'

test('events without a profile are shown with their reasons, and without such events nothing is shown', () => {
  expect(withoutProfileText({ without_profile: [] })).toBe('')
  expect(withoutProfileText({ without_profile: [{ reason: 'missing', event_count: 1 }] })).toBe(
    '1 event of the last 30 days has no profile: 1 with no user ID or anonymous ID.',
  )
  const several = [
    { reason: 'missing', event_count: 2 },
    { reason: 'blocked', event_count: 3 },
    { reason: 'too_long', event_count: 1 },
    { reason: 'suppressed', event_count: 4 },
  ] as const
  expect(withoutProfileText({ without_profile: [...several] })).toBe(
    '10 events of the last 30 days have no profile: 2 with no user ID or anonymous ID, 3 with an ID that stands for no user, 1 with an ID that is too long, and 4 of suppressed users.',
  )
})

test.each([
  [0, 0, 0],
  [0, 10, 0],
  [999, 1000, 99],
  [1000, 1000, 100],
  [1001, 1000, 100],
])('reading %i of %i events is shown as %i percent', (read_count, event_count, share) =>
  expect(readShare({ read_count, event_count })).toBe(share),
)
