import { ExactNumber } from '@tributary/connector-kit'
import { expect, test } from 'vitest'
import { fitTo, safeJson, safeText, typeFor } from './values.ts'

test.each([
  [1, 'numeric'],
  [1.5, 'numeric'],
  [true, 'boolean'],
  ['x', 'text'],
  ['12', 'text'],
  ['2026-01-02', 'text'],
  ['2026-01-02T03:04:05.678Z', 'timestamp with time zone'],
  ['2026-01-02T03:04:05+02:00', 'timestamp with time zone'],
  ['2026-02-31T03:04:05Z', 'text'],
  ['0000-01-01T00:00:00Z', 'text'],
  ['2026-01-02T25:00:00Z', 'text'],
  [[1], 'jsonb'],
  [{ a: 1 }, 'jsonb'],
])('a new column for %j is %s', (value, type) => {
  expect(typeFor(value)).toBe(type)
})

test.each([
  ['text', 1, '1'],
  ['text', { a: 1 }, '{"a":1}'],
  ['numeric', '1.50', '1.50'],
  ['integer', 7, 7],
  ['boolean', 'true', true],
  ['timestamp with time zone', '2026-01-02', '2026-01-02'],
  ['jsonb', 'x', 'x'],
  ['uuid', 'x', 'x'],
])('a column of %s accepts %j', (type, value, expected) => {
  expect(fitTo(type, value)).toEqual({ value: expected })
})

test.each([
  ['numeric', 'twelve'],
  ['numeric', 'NaN'],
  ['numeric', true],
  ['numeric', ''],
  ['integer', 1.5],
  ['integer', 3_000_000_000],
  ['boolean', 'yes'],
  ['boolean', 1],
  ['timestamp with time zone', 'soon'],
  ['timestamp with time zone', '2026-02-31T00:00:00Z'],
  ['date', 5],
])('a column of %s refuses %j', (type, value) => {
  expect(fitTo(type, value)).toBeUndefined()
})

test.each([
  ['numeric', '12345678901234567890.10', '12345678901234567890.10'],
  ['numeric', '1e400', '1e400'],
  ['bigint', '9223372036854775807', '"9223372036854775807"'],
  ['bigint', '-9223372036854775808', '"-9223372036854775808"'],
  ['integer', '7.0', '"7"'],
  ['double precision', '1.0', '1.0'],
  ['text', '1.0', '"1.0"'],
  ['jsonb', '1.0', '1.0'],
  ['bigint', '9223372036854775808', undefined],
  ['integer', '2147483648.0', undefined],
  ['double precision', '1e400', undefined],
  ['boolean', '1.0', undefined],
])('a column of %s keeps the digits of %s, or refuses the value', (type, number, written) => {
  const fit = fitTo(type, new ExactNumber(number))
  expect(fit === undefined ? undefined : safeJson(fit.value)).toBe(written)
  expect(typeFor(new ExactNumber(number))).toBe('numeric')
})

test('characters that PostgreSQL cannot store are replaced, and texts that only look like them stay', () => {
  const value = { 'a\0': 'b\0', half: '\ud83d', whole: '😀', written: '\\u0000' }
  expect(JSON.parse(safeJson(value))).toEqual({ 'a\ufffd': 'b\ufffd', half: '\ufffd', whole: '😀', written: '\\u0000' })
  expect(safeText('a\0\ud83db')).toBe('a\ufffd\ufffdb')
})
