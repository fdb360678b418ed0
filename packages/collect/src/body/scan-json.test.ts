import { describe, expect, test, vi } from 'vitest'
import { bodyKey } from '../caller.ts'
import { readBodyInSlices } from './body.ts'
import { type BodyOutline, type ScanFault, scanJson } from './scan-json.ts'
import { sliceBytes } from './turns.ts'

const scan = (body: Buffer, limits = { depth: 1000, values: 400_000, sliceBytes: 7 }): BodyOutline | ScanFault => {
  const slices = scanJson(body, limits)
  let slice = slices.next()
  while (slice.done !== true) slice = slices.next()
  return slice.value
}

/** Parses the same bytes with `JSON.parse`; undefined if they are invalid. */
const parsed = (body: Buffer): { value: unknown } | undefined => {
  try {
    return { value: JSON.parse(body.toString('utf8')) }
  } catch {
    return undefined
  }
}

const expectSame = (body: Buffer): void => {
  const found = scan(body)
  const said = parsed(body)
  const shown = body.toString('latin1').slice(0, 300)
  if (said === undefined) return expect(found, shown).toMatchObject({ fault: 'syntax' })
  if ('fault' in found) throw new Error(`${shown} is JSON, and a fault was found at ${found.at}`)
  const { value } = said
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  expect(found.isObject, shown).toBe(isObject)
  if (!isObject) return
  const batch: unknown = (value as Record<string, unknown>)['batch']
  const kind = Array.isArray(batch) ? (batch.length === 0 ? 'empty' : 'filled') : 'absent'
  expect([found.batch, found.writeKey ?? found.firstWriteKey], shown).toEqual([kind, bodyKey(value as object)])
}

test.each([
  '{}',
  '[]',
  '1',
  '"a"',
  'null',
  ' { "batch" : [ ] } ',
  '{"batch":[{"writeKey":"k","x":{"writeKey":"n"}},{"writeKey":"z"}]}',
  '{"batch":[[{"writeKey":"k"}],{"writeKey":"z"}]}',
  '{"batch":[{"a":{"writeKey":"n"}},{"writeKey":"z"}]}',
  '{"batch":[{"writeKey":"k"}],"batch":[["writeKey"]]}',
  '{"batch":[{"writeKey":"k"}],"batch":5}',
  '{"batch":{"0":{"writeKey":"k"}}}',
  '{"writeKey":"","batch":[{"writeKey":"k"}]}',
  '{"writeKey":"k","writeKey":5,"batch":[1]}',
  String.raw`{"\u0077riteKey":"\u006b","b\u0061tch":[0]}`,
  `{"writeKey":"${'k'.repeat(256)}"}`,
  `{"writeKey":"${'k'.repeat(257)}","batch":[{"writeKey":"k"}]}`,
  '{"x":{"writeKey":"n","batch":[1]}}',
  '[{"writeKey":"n"}]',
  '{"a":-0.5e+10,"b":1E5,"c":0,"d":-0}',
  '{"a":01}',
  '{"a":1.}',
  '{"a":.5}',
  '{"a":+1}',
  '{"a":1e}',
  '{"a":-}',
  '{"a":tru}',
  '{"a":nulll}',
  '{"a":"\t"}',
  String.raw`{"a":"\x41"}`,
  String.raw`{"a":"\u00g0"}`,
  String.raw`{"a":"\"}`,
  '{"a":1,}',
  '[1,]',
  '[,1]',
  '{,}',
  '{"a" 1}',
  '{"a":}',
  '{a:1}',
  "{'a':1}",
  '{"a":1]',
  '[1}',
  '{"a":1}}',
  '{"a":1} x',
  '{"a":1',
  '{"a"',
  '["a',
  '[1 2]',
  '',
  ' ',
  '\u00a0{}',
  '{"a":1}\u0000',
])('the scan of %s has the same result as the parser', (text) => expectSame(Buffer.from(text)))

test('the scan of a text with random changes has the same result as the parser', () => {
  const text = Buffer.from(
    String.raw`{"writeKey":"wk","sentAt":"2026","x":{"n":[-1.5e-3,0,true,false,null,"\u00e9\\\"",{}],"ü":"日本"},"batch":[{"writeKey":"b","type":"track"},{"p":[[]]}]}`,
  )
  let state = 11
  const next = (below: number): number => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
  const pieces = [
    '"',
    '\\',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '0',
    '-',
    '.',
    'e',
    'u',
    't',
    ' ',
    '\n',
    '\u0001',
    'ü',
    '"batch"',
  ]
  for (let round = 0; round < 4000; round++) {
    let body = text
    for (let change = next(3); change >= 0; change--) {
      const at = next(body.length)
      const cut = next(3) === 0 ? next(12) : next(2)
      const piece = next(3) === 0 ? '' : (pieces[next(pieces.length)] ?? '')
      body = Buffer.concat([body.subarray(0, at), Buffer.from(piece), body.subarray(at + cut)])
    }
    expectSame(body)
  }
})

test('the scan of bytes that are not UTF-8 has the same result as the parser after invalid bytes are replaced', () => {
  for (const byte of [0x80, 0xc3, 0xe2, 0xf0, 0xff])
    for (const text of ['{"a":"?"}', '{"?":1}', '{"a":?}', '?{}', '{"a":"?\\u00e9"}'])
      expectSame(Buffer.from(text.replace('?', String.fromCharCode(byte)), 'latin1'))
})

test('the scan reports too many levels or values before the end of the text', () => {
  const limits = { depth: 3, values: 6, sliceBytes: 7 }
  expect(scan(Buffer.from('[[[]]]'), limits)).toMatchObject({ isObject: false })
  expect(scan(Buffer.from('[[[[]]]]'), limits)).toEqual({ fault: 'depth', at: 3 })
  expect(scan(Buffer.from('[1,2,3,4,5]'), limits)).toMatchObject({ isObject: false })
  expect(scan(Buffer.from('[1,2,3,4,5,6]'), limits)).toEqual({ fault: 'values', at: 10 })
})

/** Wraps the bytes, and counts how often a byte was read. */
const counted = (body: Buffer): { body: Buffer; looks: () => number } => {
  let looks = 0
  const proxy = new Proxy(body, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target)
      if (typeof value === 'number' && key !== 'length') looks++
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return {
    body: proxy,
    looks() {
      const now = looks
      looks = 0
      return now
    },
  }
}

describe('a large body is scanned in slices, each of which reads at most a few hundred thousand bytes', () => {
  const many = (count: number, value: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => value(index)).join(',')
  test.each([
    ['empty objects', `{"batch":[${many(199_000, () => '{}')}]}`],
    ['numbers', `{"batch":[${many(399_000, () => '1')}]}`],
    ['names', `{"batch":[{${many(120_000, (index) => `"${index.toString(36)}":1`)}}]}`],
    ['escaped names', `{"batch":[{${many(60_000, () => String.raw`"\u0062atch":1`)}}]}`],
    ['lists in each other', `{"batch":[${many(2000, () => `${'['.repeat(190)}${']'.repeat(190)}`)}]}`],
    ['space', `{"batch":[${' '.repeat(1_000_000)}1]}`],
  ])('%s', (_, text) => {
    const { body, looks } = counted(Buffer.from(text))
    const parse = vi.spyOn(JSON, 'parse')
    const slices = readBodyInSlices(body)
    let maxLooks = 0
    let count = 0
    for (let done = false; !done; count++) {
      done = slices.next().done === true
      maxLooks = Math.max(maxLooks, looks())
    }
    const longest = Math.max(0, ...parse.mock.calls.map(([each]) => String(each).length))
    parse.mockRestore()
    expect(longest).toBeLessThan(100)
    expect(count).toBe(Math.ceil(text.length / sliceBytes))
    // Each byte is read at most a few times: once for each kind of token that can continue at the byte.
    expect(maxLooks).toBeLessThan(6 * sliceBytes)
  })
})
