import { describe, expect, test } from 'vitest'
import { createResultReader, RowTooLong, UnreadableResult } from './result-reader.ts'

const read = (text: string, size = text.length) => {
  const reader = createResultReader()
  const rows: (readonly (string | null)[])[] = []
  for (let at = 0; at < text.length; at += size) rows.push(...reader.push(text.slice(at, at + size)))
  return { rows, rest: reader.end() }
}

const rows = [
  ['a', '[1,"2"]', ']]', null],
  ['', '{"data":[["x"]]}', '\\"', 'ü\u{1f600}'],
  ['"', '\n', '\\', 'data'],
]
const meta = { resultSetMetaData: { numRows: 3, rowType: [{ name: 'data', type: '[' }] }, data: [], code: '0"9\\0001' }

describe('a result of Snowflake', () => {
  test.each([1, 2, 3, 7, 1000])('a result in pieces of %i characters has the same rows as the whole', (size) => {
    expect(read(JSON.stringify({ ...meta, data: rows }), size)).toEqual({ rows, rest: meta })
    expect(
      read(
        JSON.stringify(
          { data: rows, resultSetMetaData: meta.resultSetMetaData, code: meta.code, more: [[1]] },
          null,
          2,
        ),
        size,
      ).rest,
    ).toEqual({
      ...meta,
      more: [[1]],
      data: [],
    })
    expect(read(JSON.stringify(rows), size)).toEqual({ rows, rest: {} })
  })

  test('only the member data of the outer object has rows', () => {
    expect(read('{"a":{"data":[["x"]]},"b":[["y"]],"xdata":[["z"]],"data2":[[1]],"data":[["r"]]}').rows).toEqual([
      ['r'],
    ])
    expect(read('{"\\u0064ata":[["x"]],"data":[]}').rows).toEqual([])
  })

  test.each([
    ['nothing', ''],
    ['a web page', '<html>'],
    ['an end that is too early', '{"data":[["1"]]'],
    ['an end inside of a row', '{"data":[["1"'],
    ['no rows', '{"a":1}'],
    ['rows that are a text', '{"data":"x"}'],
    ['rows that are an object', '{"data":{"a":["1"]}}'],
    ['a row that is a text', '{"data":["x"]}'],
    ['a row that is a number', '{"data":[1]}'],
    ['a row that is an object', '{"data":[{"a":"x"}]}'],
    ['a value that is a number', '{"data":[["a",1]]}'],
    ['a value that is a list', '{"data":[["a",["b"]]]}'],
    ['a row that is closed by another sign', '{"data":[["a"}]}'],
    ['a list that is closed by another sign', '{"data":[["a"]}}'],
    ['two results', '{"data":[["a"]]}{"data":[["b"]]}'],
    ['too many ends', '{"data":[["a"]]}]]]'],
    ['ends only', ']]]]}}}'],
  ])('%s is not a result', (_, text) => {
    expect(() => read(text)).toThrow(UnreadableResult)
    expect(() => read(text, 1)).toThrow(UnreadableResult)
  })

  test('a row and a description have limits', () => {
    const piece = 'x'.repeat(1024 * 1024)
    const pump = (start: string) => () => {
      const reader = createResultReader()
      reader.push(start)
      for (let at = 0; at < 40; at++) reader.push(piece)
    }
    expect(pump('{"data":[["')).toThrow(RowTooLong)
    expect(pump('{"a":"')).toThrow(UnreadableResult)
    expect(pump('<html>')).toThrow(UnreadableResult)
  })
})
