import { expect, test } from 'vitest'
import { stagedRows } from './row-values.ts'

const payloadOf = (type: string, value: string): unknown => {
  const columns = [
    { name: 'id', type: 'text' },
    { name: 'value', type },
  ]
  const fields = columns.map(({ name }) => ({ column: name, target: name }))
  const { payload } = stagedRows(columns, { primaryKey: ['id'], fields, identifier: 'id' })(['k', value])
  return payload.slice('{"id":"k","value":'.length, -1)
}

test.each([
  ['bigint', '9007199254740993', '9007199254740993'],
  ['bigint unsigned', '18446744073709551615', '18446744073709551615'],
  ['int', '-7', '-7'],
  ['int4range', '[1,3)', '"[1,3)"'],
  ['tinyint', '1', '1'],
  ['decimal(24,10)', '12345678901.0123456789', '12345678901.0123456789'],
  ['numeric(5,2)', '1.50', '1.50'],
  ['double precision', 'NaN', '"NaN"'],
  ['double', '1e100', '1e100'],
  ['interval', '1', '"1"'],
  ['bit(8)', '101', '"101"'],
  ['text', '007', '"007"'],
  ['timestamp', '2026-01-02 03:04:05.678+00', '"2026-01-02T03:04:05.678Z"'],
  ['timestamp with time zone', '2026-01-02 03:04:05+00', '"2026-01-02T03:04:05Z"'],
  ['datetime', '2026-01-02 03:04:05', '"2026-01-02T03:04:05Z"'],
  ['date', '2026-01-02', '"2026-01-02"'],
  ['json', '{"b": 1.10}', '{"b": 1.10}'],
  ['boolean', 't', 'true'],
  ['UInt64', '18446744073709551615', '18446744073709551615'],
  ['Decimal(24, 10)', '1.50', '1.50'],
  ['Float64', 'nan', '"nan"'],
  ['Bool', 'true', 'true'],
  ["DateTime64(3, 'Europe/Berlin')", '2026-01-02T02:04:05.678Z', '"2026-01-02T02:04:05.678Z"'],
  ['Array(UInt64)', '[18446744073709551615,2]', '[18446744073709551615,2]'],
  ['Map(String, Decimal(9, 2))', '{"a":1.10}', '{"a":1.10}'],
  ['array<bigint>', '[9007199254740993,2]', '[9007199254740993,2]'],
  ['struct<city:string,spent:decimal(9,2)>', '{"city":"a","spent":1.10}', '{"city":"a","spent":1.10}'],
  ['variant', '{"b":[1]}', '{"b":[1]}'],
  ['timestamp_ntz', '2026-01-02 03:04:05.678', '"2026-01-02T03:04:05.678Z"'],
  ['IntervalDay', '3', '"3"'],
])('a value of the type %s keeps its digits in the row: %s is %s', (type, value, json) => {
  expect(payloadOf(type, value)).toBe(json)
})

test.each([
  ['null', null, 'id is null', ''],
  ['the empty text', '', 'id is empty', ''],
  ['10,000 characters', 'x'.repeat(10_000), 'id is longer than 1000 characters', ''],
  ['half a surrogate pair', 'a\ud800', '', 'a\ufffd'],
])('a row whose key is %s has a problem with the reason, or a key that can be stored', (_, id, problem, key) => {
  const toStaged = stagedRows([{ name: 'id', type: 'text' }], {
    primaryKey: ['id'],
    fields: [{ column: 'id', target: 'id' }],
    identifier: 'id',
  })
  expect(toStaged([id])).toMatchObject({ key, problem })
})

test('a row that is too large is not sent, and does not count as removed', () => {
  const columns = ['id', 'note'].map((name) => ({ name, type: 'text' }))
  const fields = columns.map(({ name }) => ({ column: name, target: name }))
  const toStaged = stagedRows(columns, { primaryKey: ['id'], fields, identifier: 'id' })
  expect(toStaged(['k', 'x'.repeat(129 * 1024)])).toEqual({
    key: 'k',
    sourceKey: 'k',
    payload: '',
    problem: 'The row is longer than 128 KiB',
  })
})

test('the row contains only the mapped columns of 2,000, sorted by target name', () => {
  const columns = Array.from({ length: 2000 }, (_, at) => ({ name: `c${at}`, type: 'int' }))
  const fields = [1999, 7, 500].map((at) => ({ column: `c${at}`, target: `to${at}` }))
  const toStaged = stagedRows(columns, { primaryKey: ['c7'], fields, identifier: 'to7' })
  expect(toStaged(columns.map((_, at) => String(at)))).toEqual({
    key: '7',
    sourceKey: '7',
    payload: '{"to1999":1999,"to500":500,"to7":7}',
    problem: '',
  })
})
