import { expect, test } from 'vitest'
import { standingOf } from './decide.ts'
import { projected, usagePeriod } from './period.ts'

const at = Date.parse
const limits = { profiles: 10, events: 100 }
const hour = 3_600_000
const now = at('2026-03-10T00:00:00Z')
const given = { now, over: null, graceMs: 72 * hour, holdsBeyond: limits }
const unlimited = { profiles: -1, events: -1 }

test.each([
  ['nothing', { profiles: 0, events: 0 }, false, []],
  ['less than 80 percent', { profiles: 7, events: 79 }, false, []],
  ['80 percent', { profiles: 8, events: 0 }, false, ['profiles 80']],
  ['all of it, which is within the plan', { profiles: 10, events: 100 }, false, ['profiles 100', 'events 100']],
  ['one profile more', { profiles: 11, events: 0 }, true, ['profiles 100']],
  ['one event more', { profiles: 0, events: 101 }, true, ['events 100']],
] as const)(
  'OPEN-56: a usage of %s gives the expected warnings, and shows correctly whether the organization is over its plan',
  (_, usage, over, warned) => {
    const standing = standingOf(usage, limits, given)
    expect([standing.over !== null, standing.warnings.map(({ what, percent }) => `${what} ${percent}`)]).toEqual([
      over,
      warned,
    ])
  },
)

test('events are held after the grace period; a plan with overage billing holds them only beyond its cap', () => {
  const over = { profiles: 11, events: 0 }
  const since = (hours: number) => ({ ...given, over: new Date(now - hours * hour) })
  expect(standingOf(over, limits, given)).toMatchObject({ over: new Date(now), holds: false })
  expect(standingOf(over, limits, since(71)).holds).toBe(false)
  expect(standingOf(over, limits, since(72))).toMatchObject({ over: new Date(now - 72 * hour), holds: true })
  expect(standingOf(over, limits, { ...since(72), holdsBeyond: unlimited }).holds).toBe(false)
  // With a cap on billed profiles, usage within the cap is not held, even if the plan's own profiles are used up.
  const capped = { ...since(72), holdsBeyond: { profiles: 11, events: -1 } }
  expect(standingOf(over, limits, capped)).toMatchObject({ over: null, holds: false })
  expect(standingOf({ profiles: 12, events: 0 }, limits, capped).holds).toBe(true)
  expect(standingOf({ profiles: 10, events: 0 }, limits, since(72))).toMatchObject({ over: null, holds: false })
  expect(standingOf(over, unlimited, { ...since(72), holdsBeyond: unlimited })).toEqual({
    over: null,
    holds: false,
    warnings: [],
  })
})

test.each([
  [
    'the month of the calendar without a subscription',
    undefined,
    '2026-03-31T23:59:59.999Z',
    '2026-03-01',
    '2026-04-01',
  ],
  ['the next one from its first moment', undefined, '2026-04-01T00:00:00Z', '2026-04-01', '2026-05-01'],
  [
    'that of a subscription for months',
    '2026-02-28/2026-03-31 MONTHLY',
    '2026-03-30T00:00:00Z',
    '2026-02-28',
    '2026-03-31',
  ],
  [
    'the one after the last known one',
    '2026-02-28/2026-03-31 MONTHLY',
    '2026-03-31T00:00:00Z',
    '2026-03-31',
    '2026-04-30',
  ],
  [
    'a month of a subscription for a year',
    '2026-01-31/2027-01-31 ANNUALLY',
    '2026-03-01T00:00:00Z',
    '2026-02-28',
    '2026-03-31',
  ],
  ['its last month, whole', '2031-02-28/2032-02-29 ANNUALLY', '2032-02-28T12:00:00Z', '2032-01-28', '2032-02-29'],
] as const)('the period of usage is %s', (_, billed, when, start, end) => {
  const [days, interval] = (billed ?? '').split(' ') as [string, 'MONTHLY' | 'ANNUALLY']
  const [from = '', to = ''] = days.split('/')
  const period = usagePeriod(
    billed === undefined ? undefined : { start: new Date(from), end: new Date(to), interval },
    at(when),
  )
  const dateOf = (text: string): Date => new Date(text.includes('T') ? `${text}Z` : text)
  expect(period).toEqual({ start: dateOf(start), end: dateOf(end) })
})

test('usage is projected to the end of the period at the pace of the last seven days', () => {
  const period = { start: new Date('2026-03-01'), end: new Date('2026-04-01') }
  const day = (date: string, count: number) => [at(date), count] as const
  const days = [day('2026-03-01', 700), day('2026-03-05', 7), day('2026-03-09', 7)]
  // 14 of the last seven days, and 22 days remain.
  expect(projected(days, period, now)).toBe(714 + 44)
  expect(projected(days, period, period.end.getTime())).toBe(714)
  expect(projected([], period, now)).toBe(0)
  expect(projected([day('2026-03-01', 5)], period, at('2026-03-01T23:59:00Z'))).toBeUndefined()
})
