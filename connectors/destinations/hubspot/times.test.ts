import { expect, it } from 'vitest'
import { canBeTime, timeText } from './times.ts'

// HubSpot, "How should timestamps be formatted for HubSpot's APIs?", and "New: Standardization of date formats": May 1
// 2015 is 1430438400000, May 16 2022 is 2022-05-16 or 1652659200000, and July 16 1997, 7:20:30.45 PM UTC+1, is
// 1997-07-16T19:20:30.45+01:00.
it.each([
  ['1990-05-17T10:30:00Z', '1990-05-17'],
  ['1990-05-17', '1990-05-17'],
  ['1430438400000', '1430438400000'],
  ['1652659200000', '1652659200000'],
  ['1427997766000', '2015-04-02'],
  ['1427997766', '2015-04-02'],
  ['-62208000000', '-62208000000'],
  ['-62208000001', '1968-01-11'],
  ['1997-07-16T19:20:30.45+01:00', '1997-07-16'],
  ['2026-01-01T00:30:00+02:00', '2026-01-01'],
  ['2025-12-31T23:30:00-05:00', '2025-12-31'],
  [' 1990-05-17T10:30:00Z ', '1990-05-17'],
  ['1990-13-45T10:30:00Z', '1990-13-45T10:30:00Z'],
  ['17.05.1990', '17.05.1990'],
  ['May 17', 'May 17'],
  ['', ''],
  ['99999999999999999999', '99999999999999999999'],
])('a date property gets %s as %s', (given, sent) => {
  expect(timeText(given, 'date')).toBe(sent)
})

it.each([
  ['1997-07-16T19:20:30.45+01:00', '1997-07-16T19:20:30.45+01:00'],
  ['869077230045', '869077230045'],
  ['1427997766', '1427997766000'],
  ['1990-05-17', '1990-05-17T00:00:00.000Z'],
  ['soon', 'soon'],
  ['', ''],
])('a property with date and time gets %s as %s', (given, sent) => {
  expect(timeText(given, 'datetime')).toBe(sent)
})

it.each([
  ['2026-01-01', true],
  ['4915112345678', true],
  ['+49 151 12345678', false],
  ['3', false],
  [`2026-01-01T${'0'.repeat(1_000_000)}`, true],
])('whether %.30s can be a time is %s', (text, expected) => {
  expect(canBeTime(text)).toBe(expected)
  expect(timeText(text, 'date').length).toBeLessThanOrEqual(text.length)
})
