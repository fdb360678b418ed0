import { expect, test } from 'vitest'
import { formatJson, formatMessage } from './json-text.ts'

test.each([
  ['{"a":1,"b":[1,{"c":null}]}', '{\n  "a": 1,\n  "b": [\n    1,\n    {\n      "c": null\n    }\n  ]\n}'],
  ['{}', '{}'],
  ['[ ]', '[]'],
  ['{"a":{},"b":[]}', '{\n  "a": {},\n  "b": []\n}'],
  ['"text, with: {braces}"', '"text, with: {braces}"'],
  ['{"q":"a \\" b"}', '{\n  "q": "a \\" b"\n}'],
])('the JSON text %s is indented', (text, shown) => {
  expect(formatJson(text)).toBe(shown)
})

test('formatting keeps every digit of a large number and every repeated name', () => {
  expect(formatJson('{"n":12345678901234567890.10,"n":1e400}')).toBe(
    '{\n  "n": 12345678901234567890.10,\n  "n": 1e400\n}',
  )
})

test.each(['', 'plain', '{"a":', '{"a":1}x'])('the text %j, which is not JSON, is returned unchanged', (text) => {
  expect(formatJson(text)).toBe(text)
})

test('a formatted JSON text has the same value as before', () => {
  const value = { a: [1, 2, { b: 'x:y,{z}' }], c: { d: [], e: '\u2028"\\' }, f: true, g: -1.5e-7 }
  expect(JSON.parse(formatJson(JSON.stringify(value)))).toEqual(value)
})

test.each([
  ['POST http://x\na: b\n\n{"c":1}', 'POST http://x\na: b\n\n{\n  "c": 1\n}'],
  ['HTTP 500\r\n\r\nplain', 'HTTP 500\n\nplain'],
  ['{"c":1}', '{\n  "c": 1\n}'],
  ['No response', 'No response'],
])('in the message %j only a JSON body is indented', (text, shown) => {
  expect(formatMessage(text)).toBe(shown)
})
