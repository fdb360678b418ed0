import { expect, test } from 'vitest'
import type { OutcomeCount } from './outcomes.ts'
import { statusDays } from './status-days.ts'

const row = (day: string, kind: string, count: number) => ({ destination_id: 'd', day, kind, count })
const ended = (status: OutcomeCount['status'], days: Record<string, number>): OutcomeCount => ({
  destination: 'd',
  status,
  reason: '',
  count: 0,
  days: new Map(Object.entries(days)),
})

test('each sent conversion is pending or ended exactly once, also if it is retried on a later day', () => {
  const counts = [
    row('2026-03-01', 'sent', 3),
    row('2026-03-01', 'not:no_identifier', 2),
    row('2026-03-02', 'sent', 1),
    row('2026-03-02', 'sent_refund', 1),
    row('2026-03-03', 'sent', 4),
  ]
  const outcomes = [
    ended('delivered', { '2026-03-01': 1, '2026-03-02': 2 }),
    ended('failed', { '2026-03-02': 1, '2026-03-03': 1 }),
    ended('pending', { '2026-03-03': 2 }),
  ]
  const none = { delivered: 0, failed: 0, filtered: 0, pending: 0, not_sent: 0 }
  expect(Object.fromEntries(statusDays(counts, outcomes))).toEqual({
    '2026-03-01': { ...none, delivered: 1, not_sent: 2, pending: 1 },
    '2026-03-02': { ...none, delivered: 2, failed: 1 },
    '2026-03-03': { ...none, failed: 1, pending: 3 },
  })
})
