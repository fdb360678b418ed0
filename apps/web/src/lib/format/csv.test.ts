import { expect, test } from 'vitest'
import { csvOf } from './csv.ts'

test.each([
  ['plain', 'plain'],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\nlines', '"two\nlines"'],
  ['=1+1', "'=1+1"],
  ['+49 30', "'+49 30"],
  ['@SUM(A1)', "'@SUM(A1)"],
])('the text %j becomes the CSV field %j, which no spreadsheet executes', (text, field) => {
  expect(csvOf(['a', 'b'], [['x', text]])).toBe(`a,b\r\nx,${field}\r\n`)
})
