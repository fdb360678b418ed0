import { expect, test } from 'vitest'
import {
  billedText,
  comparedTables,
  conversionTexts,
  differenceText,
  everyText,
  loadDuration,
  loadTitle,
  momentText,
  starterOf,
} from './load-words.ts'

test.each([
  ['load', '', 'running', 'Load'],
  ['change_type', 'order_completed.total to Float64', 'succeeded', 'Type changed: order_completed.total to Float64'],
  ['change_type', 'order_completed.total to Float64', 'failed', 'Change type: order_completed.total to Float64'],
  ['rename_column', 'tracks.plan to tier', 'waiting', 'Rename column: tracks.plan to tier'],
  ['drop_column', 'tracks.plan', 'succeeded', 'Column dropped: tracks.plan'],
] as const)('work of the kind %s that changes "%s" and is %s has its title', (kind, change, state, title) => {
  expect(loadTitle({ kind, change, state })).toBe(title)
})

test('a load names the schedule or the user who started it, also if the user has left', () => {
  const ada = { name: 'users/1', display_name: 'Ada' }
  expect(starterOf({ trigger: 'schedule', creator: null })).toBe('Schedule')
  expect(starterOf({ trigger: 'user', creator: ada })).toBe('Ada')
  expect(starterOf({ trigger: 'user', creator: null })).toBe('A former member')
})

test('the duration of a load counts from its start to its end, or to now', () => {
  const start_time = '2026-03-01T12:00:00Z'
  const now = Date.parse('2026-03-01T12:01:05Z')
  expect(loadDuration({ start_time: null, finish_time: null }, now)).toBe('')
  expect(loadDuration({ start_time, finish_time: null }, now)).toBe('1 min 5 s')
  expect(loadDuration({ start_time, finish_time: '2026-03-01T12:00:12Z' }, now)).toBe('12 s')
  // A clock of the reader that is behind gives no negative duration.
  expect(loadDuration({ start_time, finish_time: null }, Date.parse(start_time) - 5000)).toBe('0.0 s')
})

test('a time of today has no day, and an earlier one has', () => {
  const now = Date.parse('2026-03-02T12:00:00Z')
  const at = (time: string) => momentText(time, now, 'en-GB', 'UTC')
  expect(at('2026-03-02T09:05:59Z')).toBe('09:05')
  expect(at('2026-03-01T23:59:00Z')).toBe('1 Mar, 23:59')
})

test.each([
  [1, 'every minute'],
  [5, 'every 5 minutes'],
  [60, 'every hour'],
  [180, 'every 3 hours'],
  [1440, 'every 24 hours'],
])('loads of each %i minutes come %s', (minutes, text) => {
  expect(everyText(minutes)).toBe(text)
})

test('only a warehouse that bills its running time says how much is expected', () => {
  const status = { every_minutes: 60, loads_last_day: 12, seconds_last_day: 120 }
  expect(billedText({ ...status, billed: false })).toBeUndefined()
  expect(billedText({ ...status, billed: true })).toBe(
    'The warehouse bills running time. Expected 24 loads a day, about 4 minutes of running time.',
  )
  expect(billedText({ ...status, billed: true, loads_last_day: 0, seconds_last_day: 0 })).toBe(
    'The warehouse bills running time. Expected 24 loads a day.',
  )
  expect(billedText({ billed: true, every_minutes: 1440, loads_last_day: 1, seconds_last_day: 2 })).toBe(
    'The warehouse bills running time. Expected 1 load a day, about 1 minute of running time.',
  )
})

test('tables that differ from the delivered events come first', () => {
  const tables = [
    { table: 'tracks', event_count: 9, row_count: 9 },
    { table: 'pages', event_count: 4, row_count: 5 },
    { table: 'identifies', event_count: 7, row_count: 2 },
    { table: 'aliases', event_count: 0, row_count: 0 },
  ]
  expect(comparedTables(tables).map(({ table, difference }) => [table, differenceText(difference)])).toEqual([
    ['identifies', '5 missing'],
    ['pages', '1 more than delivered'],
    ['aliases', 'Equal'],
    ['tracks', 'Equal'],
  ])
})

test('a conversion says what converts, what moves, and what comes back', () => {
  expect(conversionTexts({ value_count: 0, convert_count: 0, from_extra_count: 0 })).toEqual([
    'The column has no values.',
  ])
  expect(conversionTexts({ value_count: 10, convert_count: 10, from_extra_count: 0 })).toEqual([
    '10 of 10 values convert.',
  ])
  expect(conversionTexts({ value_count: 1200, convert_count: 1, from_extra_count: 1 })).toEqual([
    '1 of 1,200 values converts.',
    '1,199 values move to extra_properties.',
    '1 value comes back from extra_properties.',
  ])
})
