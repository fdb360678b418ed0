import { describe, expect, test } from 'vitest'
import { ExactNumber } from './exact-json.ts'
import { isUnreadTime, readEventTime, readTime, readTimeText } from './read-time.ts'

const ten = '2026-11-20T10:00:00.000Z'

describe('each form that denotes one instant is read as that instant', () => {
  test.each<[string, unknown, string]>([
    ['RFC 3339', '2026-11-20T10:00:00.000Z', ten],
    ['RFC 3339', '2026-11-20T10:00:00Z', ten],
    ['RFC 3339 in lower case', '2026-11-20t10:00:00z', ten],
    ['RFC 3339 with an offset', '2026-11-20T15:30:00.123456789+05:30', '2026-11-20T10:00:00.123Z'],
    ['RFC 3339 with an unknown offset', '2026-11-20T10:00:00-00:00', ten],
    ['RFC 3339 with a space', '2026-11-20 10:00:00Z', ten],
    ['RFC 9557', '2026-11-20T11:00:00+01:00[Europe/Paris][u-ca=iso8601]', ten],
    ['ISO 8601 without a zone', '2026-11-20T10:00:00', ten],
    ['ISO 8601 without seconds', '2026-11-20T10:00Z', ten],
    ['ISO 8601 with a comma', '2026-11-20T10:00:00,5Z', '2026-11-20T10:00:00.500Z'],
    ['ISO 8601 with a real minus', '2026-11-20T05:00:00\u221205:00', ten],
    ['ISO 8601 basic', '20261120T100000Z', ten],
    ['ISO 8601 basic with a fraction', '20261120T100000.250+0000', '2026-11-20T10:00:00.250Z'],
    ['ISO 8601 basic without seconds', '20261120T1000Z', ten],
    ['ISO 8601 by the hour', '2026-11-20T10Z', ten],
    ['ISO 8601, a day', '2026-11-20', '2026-11-20T00:00:00.000Z'],
    ['ISO 8601, a basic day', '20261120', '2026-11-20T00:00:00.000Z'],
    ['ISO 8601, the day of a year', '2026-324T10:00Z', ten],
    ['ISO 8601, the day of a week', '2026-W47-5T10:00:00Z', ten],
    ['ISO 8601, the first week of a year', '2026-W01-1', '2025-12-29T00:00:00.000Z'],
    ['ISO 8601, the end of a day', '2026-11-20T24:00:00Z', '2026-11-21T00:00:00.000Z'],
    ['a leap second', '2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['a leap second elsewhere', '2016-12-31T18:59:60.5-05:00', '2017-01-01T00:00:00.500Z'],
    ['a year of six digits', '+002026-11-20T10:00:00.000Z', ten],
    ['a year before 0', '-000044-03-15T00:00:00Z', '-000044-03-15T00:00:00.000Z'],
    ['29 February', '2024-02-29 10:00:00', '2024-02-29T10:00:00.000Z'],
    ['PostgreSQL', '2026-11-20 10:00:00+00', ten],
    ['PostgreSQL', '2026-11-20 15:30:00.5+05:30', '2026-11-20T10:00:00.500Z'],
    ['PostgreSQL of long ago', '1800-01-01 00:00:00+00:53:28', '1799-12-31T23:06:32.000Z'],
    ['MySQL', '2026-11-20 10:00:00', ten],
    ['Ruby', '2026-11-20 10:00:00 UTC', ten],
    ['Ruby', '2026-11-20 11:00:00 +0100', ten],
    ['Go', '2026-11-20 10:00:00.5 +0000 UTC', '2026-11-20T10:00:00.500Z'],
    ['Go', '2026-11-20 11:00:00 +0100 CET m=+0.000012345', ten],
    ['slashes', '2026/11/20 10:00:00', ten],
    ['one digit', '2026-1-2 5:06', '2026-01-02T05:06:00.000Z'],
    ['in the evening', '2026-11-20 10:00:00 PM', '2026-11-20T22:00:00.000Z'],
    ['compact', '20261120100000', ten],
    ['RFC 9110', 'Fri, 20 Nov 2026 10:00:00 GMT', ten],
    ['RFC 1123 with an offset', 'Fri, 20 Nov 2026 11:00:00 +0100', ten],
    ['RFC 5322 without a weekday', '20 Nov 2026 10:00 +0000', ten],
    ['RFC 5322 with a comment', 'Fri, 20 Nov 2026 11:00:00 +0100 (CET)', ten],
    ['RFC 5322 of before', 'Fri, 20 Nov 26 05:00:00 EST', ten],
    ['RFC 850', 'Friday, 20-Nov-26 10:00:00 GMT', ten],
    ['asctime', 'Fri Nov 20 10:00:00 2026', ten],
    ['asctime with a short day', 'Sun Nov  6 08:49:37 1994', '1994-11-06T08:49:37.000Z'],
    ['Java', 'Fri Nov 20 10:00:00 UTC 2026', ten],
    ['JavaScript', 'Fri Nov 20 2026 11:00:00 GMT+0100 (Central European Standard Time)', ten],
    ['JavaScript for people', 'November 20, 2026 at 10:00:00\u202fAM UTC', ten],
    ['JavaScript for people', 'Nov 20, 2026, 10:00 AM', ten],
    ['.NET', '/Date(1795168800000)/', ten],
    ['seconds', 1_795_168_800, ten],
    ['seconds with a fraction', 1_763_704_000.123, '2025-11-21T05:46:40.123Z'],
    ['milliseconds', 1_795_168_800_000, ten],
    ['microseconds', 1_795_168_800_000_000, ten],
    ['nanoseconds to the digit', new ExactNumber('1795168800000999999'), ten],
    ['a number with an exponent', new ExactNumber('1.7951688E9'), ten],
    ['seconds as text', '1795168800', ten],
    ['seconds as text with a fraction', '1795168800.9999', '2026-11-20T10:00:00.999Z'],
    ['milliseconds as text', '1795168800000', ten],
    ['microseconds as text', '1795168800000000', ten],
    ['nanoseconds as text', '1795168800000000000', ten],
    ['before 1970', '-100000000', '1966-10-31T14:13:20.000Z'],
    ['zero', 0, '1970-01-01T00:00:00.000Z'],
    ['with space around it', '  2026-11-20T10:00:00Z\n', ten],
  ])('a time (%s), %s, is read as its instant', (_, value, time) => {
    expect(readTimeText(value)).toBe(time)
  })
})

describe('a value that does not denote exactly one instant is not read', () => {
  test.each<unknown>([
    'yesterday',
    '',
    ' ',
    null,
    undefined,
    true,
    {},
    [],
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1e300,
    'now',
    'null',
    '0000-00-00 00:00:00',
    '2026',
    '2026-11',
    '5',
    '12345678901234567890',
    '3/4/2026',
    '20/11/2026 10:00',
    '20.11.2026',
    '2026-02-30',
    '2025-02-29T10:00:00Z',
    '20260230T100000Z',
    '2026-13-01T00:00:00.000Z',
    '2026-366',
    '2025-W53-1',
    '2026-11-20T25:00:00Z',
    '2026-11-20T24:00:01Z',
    '2026-11-20T10:60:00Z',
    '2026-11-20T10:00:61Z',
    '2026-11-20T10:59:60Z',
    '2026-11-30T23:59:60+05:00',
    '2026-11-20T10:00:00+24:00',
    '2026-11-20T10:00:00+01:60',
    '2026-11-20T10:00:00 CET',
    '2026-11-20T10:00:00Zulu',
    '2026-11-20T10:00:00Z and more',
    '2026-11-20T10:00:00ZZ',
    '2026-11-20T',
    '2026-11-2010:00:00',
    '13:00 PM 2026-11-20',
    '2026-11-20 13:00 PM',
    '-000000-01-01T00:00:00Z',
    '12026-11-20T10:00:00Z',
    'Fri, 31 Nov 2026 10:00:00 GMT',
    'Nov 2026',
    `2026-11-20T10:00:00${' '.repeat(200)}Z`,
    '9'.repeat(1000),
  ])('the value %j is not read as a time', (value) => {
    expect(readTime(value)).toBeUndefined()
  })
})

test('an RFC 3339 time is read as Date.parse reads it, on every day of a leap cycle', () => {
  const wrong: string[] = []
  for (let day = Date.UTC(1999, 0, 1); day < Date.UTC(2005, 0, 1); day += 86_400_000 - 1) {
    const text = new Date(day).toISOString()
    const forms: [string, number][] = [
      [text, day],
      [text.replace('T', ' ').replace('Z', '+00'), day],
      [new Date(day).toUTCString(), day - (day % 1000)],
    ]
    for (const [form, ms] of forms) if (readTime(form) !== ms) wrong.push(form)
  }
  expect(wrong).toEqual([])
})

test('any combination of time parts is read as a whole number of ms, or not at all', () => {
  const pieces = '2026,11,20,-,/,:,T,Z, ,.,+,Nov,Fri,GMT,(,[,),W,m=,PM,at,10,123456,\u2212'.split(',').concat(',')
  let state = 7
  const next = (below: number): number => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
  const wrong: string[] = []
  for (let round = 0; round < 20_000; round++) {
    const text = Array.from({ length: 1 + next(12) }, () => pieces[next(pieces.length)]).join('')
    const ms = readTime(text)
    if (ms !== undefined && !Number.isInteger(ms)) wrong.push(text)
  }
  expect(wrong).toEqual([])
})

test('an event time is from 1970-01-02 to 2199, and isUnreadTime detects any other value', () => {
  const inside = ['1970-01-02T00:00:00Z', '2199-12-31T23:59:59.999Z']
  const outside = ['1970-01-01T23:59:59.999Z', '2200-01-01T00:00:00Z', 0, -1, 1e300, 'yesterday', {}, true]
  expect(inside.map(readEventTime)).not.toContain(undefined)
  expect(outside.map(readEventTime)).toEqual(outside.map(() => undefined))
  expect([...inside, null, undefined, ''].filter(isUnreadTime)).toEqual([])
  expect(outside.filter(isUnreadTime)).toEqual(outside)
})
