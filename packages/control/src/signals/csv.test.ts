import { expect, test } from 'vitest'
import { csvText, parseCsv } from './csv.ts'

test('quotes, commas, line feeds, and empty fields are read as they were written', () => {
  const rows = [
    ['a', 'b "c"', 'd,e'],
    ['line\nfeed', '', 'z'],
  ]
  expect(parseCsv(csvText(rows), 10)?.map(({ cells }) => cells)).toEqual(rows)
})

test('a value that a spreadsheet would treat as a formula is written as text', () => {
  expect(csvText([['=1+1', '@x', 5]])).toBe("'=1+1,'@x,5\r\n")
})

test.each<[string, string, [number, string[]][] | undefined]>([
  [
    'lines are counted through quotes',
    'a,"b\nc"\nd,e',
    [
      [1, ['a', 'b\nc']],
      [3, ['d', 'e']],
    ],
  ],
  [
    'empty lines are left out',
    'a\r\n\r\nb\r\n',
    [
      [1, ['a']],
      [3, ['b']],
    ],
  ],
  ['a mark of the encoding is none of the text', '\uFEFFa,b', [[1, ['a', 'b']]]],
  ['a last field may be empty', 'a,', [[1, ['a', '']]]],
  ['a quote that does not end is none', 'a,"b', undefined],
])('%s', (_, text, rows) => {
  expect(parseCsv(text, 10)?.map(({ line, cells }) => [line, cells])).toEqual(rows)
})

test('at most one row more than requested is read', () => {
  expect(parseCsv('a\n'.repeat(100), 5)).toHaveLength(6)
})
