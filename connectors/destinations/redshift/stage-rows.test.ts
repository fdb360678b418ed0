import { expect, test } from 'vitest'
import { piecesOf } from '../../wire/redshift/super.ts'
import type { StageRow } from '../../wire/warehouse/dialect.ts'
import { insertStatements } from './insert-rows.ts'
import { fittingRows, maxRowBytes } from './stage-rows.ts'

const row = (given: Partial<StageRow>): StageRow => ({
  batch: 'b1',
  place: 1,
  table_name: 'tracks',
  mode: 'insert',
  row_key: 'k',
  received_at: '2026-01-02 03:04:05.000000',
  row_values: '{"id":"k"}',
  set_null: '',
  bytes: 10,
  ...given,
})

const valuesOf = ({ row_values }: StageRow): Record<string, string> => JSON.parse(row_values) as Record<string, string>

test('rows that fit stay as they are', () => {
  const rows = [row({ mode: 'columns', row_values: '{}' }), row({}), row({ mode: 'merge', set_null: '|a|b|' })]
  expect(fittingRows(rows)).toEqual(rows)
})

test('a row of a user that is too large is divided into batches that follow in order, each with the column types', () => {
  const types = row({ mode: 'columns', place: 0, row_values: '{"users":{}}' })
  const values = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`c${at}`, 'ä'.repeat(25_000)]))
  const large = row({
    mode: 'merge',
    table_name: 'users',
    row_values: JSON.stringify({ id: 'k', received_at: 't', ...values }),
    set_null: '|gone|',
  })
  const fitting = fittingRows([types, row({}), large])
  const parts = fitting.filter(({ mode }) => mode === 'merge')
  expect(parts.length).toBeGreaterThan(2)
  expect(parts.map(({ batch }) => batch)).toEqual(parts.map(({ batch }) => batch).toSorted())
  expect(fitting.filter(({ mode }) => mode === 'columns').map(({ batch }) => batch)).toEqual(
    parts.map(({ batch }) => batch),
  )
  for (const part of parts) {
    expect(Buffer.byteLength(part.row_values)).toBeLessThan(maxRowBytes * 1.2)
    expect(valuesOf(part)).toMatchObject({ id: 'k', received_at: 't' })
  }
  expect(Object.assign({}, ...parts.map(valuesOf))).toEqual(valuesOf(large))
  expect(parts.map(({ set_null }) => set_null).join('')).toBe('|gone|')
})

test('names of columns that become null are divided when they are too long for a text', () => {
  const names = Array.from({ length: 1500 }, (_, at) => `${'n'.repeat(58)}${String(at).padStart(4, '0')}`)
  const types = row({ mode: 'columns', row_values: '{}' })
  const fitting = fittingRows([types, row({ mode: 'merge', set_null: `|${names.join('|')}|` })])
  const parts = fitting.filter(({ mode }) => mode === 'merge')
  expect(parts.length).toBe(2)
  expect(parts.flatMap(({ set_null }) => set_null.split('|').filter((name) => name !== ''))).toEqual(names)
  for (const { set_null } of parts) expect(Buffer.byteLength(set_null)).toBeLessThanOrEqual(65_535)
})

test.each([
  ['many members', Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`m${at}`, 'x'.repeat(30)]))],
  ['one long text', { first: 1, long: '"\\'.repeat(60_000) }],
  ['one long list', { list: Array.from({ length: 20_000 }, (_, at) => at) }],
])('extra properties with %s have at most the bytes of a text', (_, extra) => {
  const given = row({ row_values: JSON.stringify({ id: 'k', extra_properties: JSON.stringify(extra) }) })
  const [fitting] = fittingRows([given])
  const text = fitting === undefined ? '' : (valuesOf(fitting).extra_properties ?? '')
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(65_535)
  const kept = Object.keys(JSON.parse(text) as Record<string, unknown>)
  expect(kept.at(-1)).toBe(Object.keys(extra).at(-1))
})

test('digits of extra properties stay when they are cut', () => {
  const extra = `{"long":"${'x'.repeat(70_000)}","big":12345678901234567890.10}`
  const [fitting] = fittingRows([row({ row_values: JSON.stringify({ extra_properties: extra }) })])
  expect(fitting === undefined ? '' : valuesOf(fitting).extra_properties).toContain('"big":12345678901234567890.10')
})

test('a long text is divided between characters', () => {
  const text = `a${'😀'.repeat(40_000)}`
  const pieces = piecesOf(text)
  expect(pieces.join('')).toBe(text)
  for (const piece of pieces) expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(65_535)
  expect(piecesOf('')).toEqual([''])
})

test('statements have less than 16 MB and 32,767 parameters, and all rows', () => {
  const long = row({ row_values: JSON.stringify({ text: 'x'.repeat(200_000) }) })
  const few = insertStatements('s', [long, row({})])
  expect(few).toHaveLength(1)
  expect(few[0]?.text).toMatch(/json_parse\(to_varbyte\(\$\d+::character varying\(65535\), 'utf8'\) \|\| to_varbyte\(/)
  const many = insertStatements(
    's"x',
    Array.from({ length: 10_000 }, (_, place) => row({ place })),
  )
  expect(many.map(({ values }) => values.length).reduce((sum, each) => sum + each, 0)).toBe(90_000)
  for (const { values, text } of many) {
    expect(values.length).toBeLessThan(32_767)
    expect(text).toMatch(/^insert into "s""x"\."tributary_stage" /)
  }
  const large = insertStatements(
    's',
    Array.from({ length: 100 }, () => row(long)),
  )
  for (const { values } of large) expect(values.join('').length).toBeLessThan(9 * 1024 * 1024)
  expect(large.length).toBeGreaterThan(2)
})
