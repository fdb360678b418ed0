import { cursorKindOf } from '@tributary/contract'
import { expect, test } from 'vitest'
import { createHighest, lowestOf, startCursor } from './cursor.ts'

test.each([
  ['number', ['smallint', 'bigint', 'numeric(24,10)', 'double precision', 'bigint unsigned', 'decimal(9,2) unsigned']],
  ['number', ['UInt64', 'Int256', 'Decimal(24, 10)', 'Float64', 'Decimal64(2)']],
  ['number', ['INT64', 'NUMERIC', 'NUMERIC(9, 2)', 'BIGNUMERIC', 'FLOAT64']],
  ['date', ['date', 'Date', 'Date32', 'DATE']],
  ['time', ['timestamp with time zone', 'timestamp(3) without time zone', 'datetime', 'timestamp']],
  ['time', ['DateTime', "DateTime64(3, 'Europe/Berlin')"]],
  ['time', ['timestamp_ntz']],
  [undefined, ['array<bigint>', 'map<string,date>', 'struct<a:timestamp>', 'variant', 'string', 'binary']],
  [undefined, ['text', 'uuid', 'time without time zone', 'bigint[]', 'interval', 'jsonb', 'Array(UInt64)', 'bit(12)']],
  ['time', ['TIMESTAMP', 'DATETIME']],
  [undefined, ['ARRAY<INT64>', 'STRUCT<a INT64>', 'STRING', 'TIME', 'BOOL', 'RANGE<DATE>', 'INTERVAL', 'JSON']],
  [undefined, ['year', 'int4range', 'String', 'Enum8', 'daterange', 'bytea', 'Bool', '']],
] as const)('a cursor is a %s if the type is one of %j', (kind, types) => {
  for (const type of types) expect([type, cursorKindOf(type)]).toEqual([type, kind])
})

const now = Date.parse('2026-06-01T00:00:00Z')
const highestOf = (kind: 'number' | 'date' | 'time', texts: readonly string[]): string | null => {
  const highest = createHighest(kind, now)
  for (const text of texts) highest.add(text)
  return highest.value()
}

test.each([
  ['number', ['9', '10', '9.99'], '10'],
  ['number', ['18446744073709551615', '18446744073709551614.9'], '18446744073709551615'],
  ['number', ['-1.5'], '-2'],
  ['number', ['-1.00', '-3'], '-1'],
  ['number', ['1e3', '999'], '1000'],
  ['number', ['NaN', 'Infinity', 'inf'], null],
  ['date', ['2026-01-02', '2025-12-31'], '2026-01-02T00:00:00.000Z'],
  ['time', ['2026-01-02 03:04:05+00', '2026-01-02 03:04:05.678901+00'], '2026-01-02T03:04:05.678Z'],
  ['time', ['2026-01-02 03:04:05', '2026-01-02T03:04:06Z'], '2026-01-02T03:04:06.000Z'],
  ['time', ['infinity', '0000-00-00 00:00:00'], null],
  ['time', ['2999-01-01 00:00:00'], '2026-06-01T00:00:00.000Z'],
  ['time', [], null],
] as const)(
  'the highest cursor value of %s values %j is %s, rounded down, and never in the future',
  (kind, texts, expected) => {
    expect(highestOf(kind, texts)).toBe(expected)
  },
)

test.each([
  ['number', '18446744073709551615', 1000, '18446744073709550615'],
  ['number', '5', 1000, '-995'],
  ['date', '2026-01-02T00:00:00.000Z', 60, '2026-01-01'],
  ['date', '2026-01-02T00:00:00.000Z', 0, '2026-01-02'],
  ['time', '2026-01-02T00:00:00.000Z', 90, '2026-01-01T22:30:00.000Z'],
  ['time', '1970-01-01T00:00:00.000Z', 1_000_000_000, '1970-01-01T00:00:00.000Z'],
] as const)('a run with a cursor of %s %s and an overlap of %i reads rows from %s', (kind, to, overlap, expected) => {
  expect(lowestOf(kind, to, overlap)).toBe(expected)
})

test('a stored cursor value does not apply to another query, mapping, or data source', () => {
  const columns = [{ name: 'id', type: 'bigint' }]
  const of = {
    dataSource: { id: 'd1', settings: { host: 'a' } },
    query: { sql: 'select 1 as id' },
    primaryKey: ['id'],
    fields: [{ column: 'id', target: 'id' }],
    mode: 'UPSERT_ONLY' as const,
  }
  const cursor = { column: 'id', overlap: 0 }
  const first = startCursor(columns, { cursor, reached: undefined, of, now })
  first?.see(['7'])
  const reached = { of: first?.noted().of ?? '', to: first?.noted().to ?? '' }
  const fromOf = (changed: Partial<typeof of>) =>
    startCursor(columns, { cursor, reached, of: { ...of, ...changed }, now })?.from
  expect(fromOf({})).toEqual({ column: 'id', kind: 'number', value: '7' })
  expect(fromOf({ dataSource: { id: 'd1', settings: { host: 'b' } } })).toBeUndefined()
  expect(fromOf({ query: { sql: 'select 2 as id' } })).toBeUndefined()
  expect(fromOf({ fields: [{ column: 'id', target: 'key' }] })).toBeUndefined()
})
