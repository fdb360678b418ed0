import { expect, test } from 'vitest'
import {
  bucketLabel,
  bucketOf,
  bucketSpan,
  bucketsOf,
  bucketTitle,
  changeOf,
  filled,
  presetOf,
  previousBucketsOf,
  previousRange,
  rangeOf,
  rangePresets,
  viewOf,
} from './date-range.ts'

const now = Date.UTC(2024, 1, 3, 14, 25, 30, 500)
const seconds = (...date: Parameters<typeof Date.UTC>): number => Date.UTC(...date) / 1000

test('DATA-01: a range has a start and an end in seconds, and ends now', () => {
  expect(rangeOf('7days', now)).toEqual({
    start_date: { seconds: seconds(2024, 0, 28) },
    end_date: { seconds: seconds(2024, 1, 3, 14, 25, 31) },
  })
})

test('DATA-02: there are four presets, each as long as its name, counting the running hour or day completely', () => {
  expect(rangePresets).toEqual(['1day', '7days', '30days', '90days'])
  const days = rangePresets.map((preset) => {
    const { granularity } = viewOf(preset)
    const running = bucketSpan(bucketOf(now, granularity))
    return (running.end - rangeOf(preset, now).start_date.seconds * 1000) / 86_400_000
  })
  expect(days).toEqual([1, 7, 30, 90])
})

test.each([
  ['30days', '30days'],
  ['1year', '7days'],
  [null, '7days'],
])('the text %j names the preset %s', (text, preset) => {
  expect(presetOf(text)).toBe(preset)
})

test('DATA-04: 24 hours are shown by UTC hour, with the running hour last', () => {
  const buckets = bucketsOf('1day', now)
  expect(buckets).toHaveLength(24)
  expect([buckets[0], buckets.at(-1)]).toEqual(['2024020215', '2024020314'])
})

test.each([
  ['DATA-05: 7 days', '7days', 7, '20240128'],
  ['DATA-06: 30 days', '30days', 30, '20240105'],
  ['90 days', '90days', 90, '20231106'],
] as const)('%s are shown by day, with the running day last', (_title, preset, count, first) => {
  const buckets = bucketsOf(preset, now)
  expect(new Set(buckets).size).toBe(count)
  expect([buckets[0], buckets.at(-1)]).toEqual([first, '20240203'])
})

test('the running bucket is present from its first to its last millisecond', () => {
  expect(bucketsOf('7days', Date.UTC(2024, 1, 3)).at(-1)).toBe('20240203')
  expect(bucketsOf('7days', Date.UTC(2024, 1, 4) - 1).at(-1)).toBe('20240203')
  expect(bucketsOf('1day', Date.UTC(2024, 1, 3, 23)).at(-1)).toBe('2024020323')
})

test.each(rangePresets)('DATA-07: the period before %s has the same length and ends at its start', (preset) => {
  const range = rangeOf(preset, now)
  const before = previousRange(range)
  expect(before.end_date).toEqual(range.start_date)
  expect(before.end_date.seconds - before.start_date.seconds).toBe(range.end_date.seconds - range.start_date.seconds)
  const { granularity, count } = viewOf(preset)
  const buckets = previousBucketsOf(preset, now)
  expect(buckets).toHaveLength(count)
  expect(bucketSpan(buckets.at(-1) ?? '').end).toBe(range.start_date.seconds * 1000)
  expect(bucketOf(before.start_date.seconds * 1000, granularity)).toBe(buckets[0])
})

test('DATA-08, DATA-09: a day is named YYYYMMDD and an hour YYYYMMDDHH, both in UTC', () => {
  const late = Date.parse('2024-02-01T01:30:00+02:00')
  expect(bucketOf(late, 'day')).toBe('20240131')
  expect(bucketOf(late, 'hour')).toBe('2024013123')
  expect(bucketSpan('20240131')).toEqual({ start: Date.UTC(2024, 0, 31), end: Date.UTC(2024, 1, 1) })
  expect(bucketSpan('2024013123')).toEqual({ start: Date.UTC(2024, 0, 31, 23), end: Date.UTC(2024, 1, 1) })
})

test('DATA-10: hours and days without a count are 0, so that the whole period is shown', () => {
  expect(filled(bucketsOf('7days', now), { '20240130': 4, '20240203': 1, '20230101': 99 })).toEqual([
    0, 0, 4, 0, 0, 0, 1,
  ])
  expect(filled(bucketsOf('1day', now), {})).toEqual(Array.from({ length: 24 }, () => 0))
})

test.each([
  [120, 100, 20],
  [50, 100, -50],
  [0, 3, -100],
  [4, 0, undefined],
  [0, 0, undefined],
])('a count of %d after %d in the previous period is a change of %s percent', (current, previous, change) => {
  expect(changeOf(current, previous)).toBe(change)
})

test('a bucket is labeled by its time in UTC, in any time zone of the reader', () => {
  expect([bucketLabel('20240131', 'en'), bucketTitle('20240131', 'en')]).toEqual(['Jan 31', 'Wed, Jan 31, 2024'])
  expect([bucketLabel('2024013123', 'en'), bucketTitle('2024013123', 'en')]).toEqual(['23:00', 'Jan 31, 23:00 UTC'])
})
