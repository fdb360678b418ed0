import { expect, test } from 'vitest'
import { columnValues, kindOfHeader, leftOutCsv, likelyColumn, parseRows, readTable } from './list-values.ts'

test.each([
  ['a\nb\r\nc', [['a'], ['b'], ['c']]],
  [
    '\ufeffa,b\n1,2\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a;b\n1;2,5',
    [
      ['a', 'b'],
      ['1', '2,5'],
    ],
  ],
  [
    'a\tb\n 1 \t',
    [
      ['a', 'b'],
      ['1', ''],
    ],
  ],
  ['"a ""b""","c\nd"\n"e', [['a "b"', 'c\nd'], ['e']]],
  ['\n\n a \n\n', [['a']]],
  ['a,\n', [['a', '']]],
  ['a,', [['a', '']]],
  ['', []],
])('the text %j is parsed to rows', (text, rows) => {
  expect(parseRows(text)).toEqual(rows)
})

test.each([
  ['User ID', 'user_id'],
  ['id', 'user_id'],
  ['anonymousId', 'anonymous_id'],
  ['E-Mail Address', 'email'],
  ['phone_number', 'phone'],
  ['name', undefined],
])('a column with the title %j has the kind %s', (title, kind) => {
  expect(kindOfHeader(title)).toBe(kind)
})

test('without a title row, all lines are values; a title determines the kind', () => {
  expect(readTable('ada\nbob').rows).toEqual([['ada'], ['bob']])
  const titled = readTable('email\nada@a.example')
  expect(titled).toEqual({ titled: true, columns: [{ title: 'email', kind: 'email' }], rows: [['ada@a.example']] })
})

test.each([
  ['ada@a.example,Ada\nbob@a.example,Bob', false],
  ['customer-1,2026-01-01\ncustomer-2,2026-01-02', false],
  ['Ada,ada@a.example', false],
  ['name,email\nAda,ada@a.example', true],
  ['first name,Land\nAda,UK', true],
  ['email2;user id\na;b', true],
  ['', false],
])('in %j, the first row is recognized as titles: %s', (text, titled) => {
  expect(readTable(text).titled).toBe(titled)
})

test("the user's choice decides whether the first row has titles", () => {
  expect(readTable('ada,pro\nbob,free').rows).toEqual([['bob', 'free']])
  expect(readTable('ada,pro\nbob,free', false).rows).toHaveLength(2)
  expect(readTable('customer-1\ncustomer-2', true)).toMatchObject({
    columns: [{ title: 'customer-1' }],
    rows: [['customer-2']],
  })
})

test('with several columns, the first row contains the titles, and the first column that names a kind is suggested', () => {
  const table = readTable('name,plan,email\nAda,pro,ada@a.example\nBob,free,')
  expect(likelyColumn(table)).toBe(2)
  expect(columnValues(table, 2)).toEqual({ values: ['ada@a.example'] })
  expect(likelyColumn(readTable('a,b\n1,2'))).toBe(0)
})

test('an empty list and a list with too many values are refused', () => {
  expect(columnValues(readTable(''), 0)).toEqual({ problem: 'Enter at least one identifier' })
  const many = readTable(Array.from({ length: 50_001 }, (_, index) => `u${index}`).join('\n'))
  expect(columnValues(many, 0)).toHaveProperty('problem')
})

test('the file of omitted values contains each value with its reason, in the order of the list', () => {
  const report = { found_count: 1, profile_count: 1, not_found: [2], invalid: [0], duplicates: [3] }
  expect(leftOutCsv(['=1', 'ada', 'a,b', 'ada'], report)).toBe(
    'identifier,reason\r\n\'=1,invalid\r\n"a,b",not found\r\nada,duplicate\r\n',
  )
})
