import { expect, test } from 'vitest'
import { createCsvReader, sniffDelimiter } from './csv.ts'

/** Returns every row of a text that arrives in pieces of `size` characters. */
const rowsOf = (text: string, delimiter = ',', size = text.length) => {
  const reader = createCsvReader(delimiter)
  const rows = []
  for (let at = 0; at < text.length; at += size)
    rows.push(...reader.push(text.slice(at, at + size), at + size >= text.length))
  return rows
}

const tricky = 'id,name\r\n1,"a ""b"", c"\r\n\r\n2,"two\r\nlines"\n3,\r4,""'

test('CSV values are read as RFC 4180 defines: quotes, three kinds of line ends, and null distinct from empty text', () => {
  expect(rowsOf(tricky)).toEqual([
    { row: ['id', 'name'], line: 1 },
    { row: ['1', 'a "b", c'], line: 2 },
    { row: ['2', 'two\r\nlines'], line: 4 },
    { row: ['3', null], line: 6 },
    { row: ['4', ''], line: 7 },
  ])
})

test.each([1, 2, 3, 5, 7])('pieces of %i characters give the same rows as the whole', (size) => {
  expect(rowsOf(tricky, ',', size)).toEqual(rowsOf(tricky))
})

test.each([
  ['a,b\n1,"never closed\n2,x', 'Line 2: a quote is not closed'],
  ['a,b\n"x"\n"1"2,3', 'Line 3: there is text between the end of a quoted value and the delimiter'],
  [
    'a,b\n"1\n1",2\n5" pipe,1',
    'Line 4: a quote inside a value. Put the value in quotes, and write each quote in it twice',
  ],
])('a broken quote is reported with its line: %j', (text, words) => {
  expect(() => rowsOf(text)).toThrow(words)
})

test('a quote that is never closed is detected before the whole file is in memory', () => {
  const reader = createCsvReader(',')
  reader.push('a\n"', false)
  const push = (): void => {
    for (let piece = 0; piece < 20; piece++) reader.push('x'.repeat(1024 * 1024), false)
  }
  expect(push).toThrow('Line 2: the row is longer than 8 MB. A quote may not be closed')
})

test.each([
  ['a,b', ','],
  ['a;b;"1,2,3,4"', ';'],
  ['a\tb\n1,2,3', '\t'],
  ['a|b', '|'],
  ['alone', ','],
  ['one\ntwo\nthree', ','],
  ['comment\nhello\na;b', ','],
  ['text\nx|y\n1;2;3', ','],
  ['id\n1\n"a;b"', ','],
  ['id\n1,5\n2,5', ','],
  ['Name, first;Age\nAda;36\nBob;41', ';'],
  ['a, b, c, d;e\n1;2\n3;4', ';'],
  ['price;amount\n1,50;2,25\n3,10;4', ';'],
  ['Preis, EUR;Menge\n1,50;3\n2,75;4', ';'],
  ['"a,b,c,d"\tx\n1,2,3\ty', '\t'],
  ['id,tags\n1,a;b;c\n2,d', ','],
  ['id|note, long, very long\n1|x\n\n2|"y,\nz"', '|'],
  ['a,b,c\n1,2,3\n4,5,6', ','],
  ['a;b\n1;2;3\n4;5', ';'],
])('the delimiter of %j is detected by its rows', (text, delimiter) => {
  expect(sniffDelimiter(text)).toBe(delimiter)
})

test('a piece that ends inside a row causes no error', () => {
  expect(sniffDelimiter('a,b;c\n1;2\n3;4\n5,', false)).toBe(';')
})
