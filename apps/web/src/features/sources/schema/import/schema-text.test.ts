import { expect, test } from 'vitest'
import { lineOf } from '../../../../lib/format/json-places.ts'
import { readSchemaText } from './schema-text.ts'

test.each([
  ['', 'The JSON ends here, expected a value', 1, 1],
  ['{\n  "events": {\n', 'The JSON ends here, expected a name in double quotes', 3, 1],
  ['{"events": {},}', 'Expected a name in double quotes here', 1, 15],
  ['{"events"\n {}}', 'Expected ":" here', 2, 2],
  ['{"events": {"A": {} "B": {}}}', 'Expected "," or "}" here', 1, 21],
  ["{'events': {}}", 'Expected a name in double quotes here', 1, 2],
  ['{"events": {}} x', 'There is extra text after the end of the JSON', 1, 16],
  ['{"events": {"A": NaN}}', 'Expected a value here', 1, 18],
  [
    '{\n "events": {\n  "A/B": {\n   "properties": {"x": {"type": "text"}}}}}',
    'The type must be one of string, number, boolean, object, array (at /events/A~1B/properties/x/type)',
    4,
    33,
  ],
  ['{"events": {"A": {"properties": {"x": {}}}}}', 'The type must be one of', 1, 39],
  [
    '{"events": {"A": {"properties": {"x": {"type": "string"}}, "required": ["y"]}}}',
    'required includes "y", which is not a property',
    1,
    72,
  ],
  ['{"event": {}}', '"event" is not supported', 1, 1],
])('an invalid schema is rejected with line and column of the error: %s', (text, message, line, column) => {
  const read = readSchemaText(text)
  if ('schema' in read) throw new Error('was read')
  expect(read.message).toContain(message)
  expect(lineOf(text, read.offset)).toEqual({ line, column })
})

test('a schema with any names and escapes is parsed', () => {
  const read = readSchemaText('{"events": {"__proto__": {}, "\\u00e9\\"": {"type": "object"}}, "user": {}}')
  if (!('schema' in read)) throw new Error(read.message)
  expect([...read.schema.events.keys()]).toEqual(['__proto__', 'é"'])
})
