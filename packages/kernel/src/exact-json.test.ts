import { describe, expect, it } from 'vitest'
import {
  compactJson,
  ExactNumber,
  isJsonObject,
  jsonMembers,
  jsonObject,
  jsonText,
  losesDigits,
  parseExactJson,
} from './exact-json.ts'

describe('parseExactJson', () => {
  it.each([
    '9223372036854775807',
    ' -0 '.trim(),
    '[1.0,-0,-0.0,1e400,-1E-400,0.10,12345678901234567890.123,1e5,0.0000001]',
    '{"b":1,"10":{"2":null,"1":[]},"a":"x"}',
    '{"__proto__":{"a":1.0},"constructor":1.0,"":{}}',
    '{"a":"\\"1.0\\\\","b":"\\ud800","c":[true,false,null,"",{}],"d":1.50}',
    '{"n":123456789012345.60}',
    '{"n":0.30000000000000004,"m":[1,2.5,-3]}',
  ])('parseExactJson keeps the text as it was written: %s', (text) => {
    expect(JSON.stringify(parseExactJson(text))).toBe(text)
    expect(JSON.stringify({ in: [parseExactJson(text)] })).toBe(`{"in":[${text}]}`)
  })

  it('parseExactJson returns the same values as JSON.parse', () => {
    const text = '{ "a" : [ 1 , { "b" : "c\\n" } ] , "9":1, "d" : 1.0, "d" : 2.0, "e":false }'
    const value = parseExactJson(text)
    expect(value).toEqual({ ...JSON.parse(text), d: new ExactNumber('2.0') })
    expect(Object.keys(value as object)).toEqual(['a', '9', 'd', 'e'])
  })

  it.each(['', '{', '{"a":1.0,}', '[1.0]x', '01.0', "{'a':1.0}", '[1.]', 'undefined'])(
    'parseExactJson refuses %j',
    (text) => {
      expect(() => parseExactJson(text)).toThrow(SyntaxError)
    },
  )

  it('parseExactJson returns numbers that can be computed, compared, and printed', () => {
    const [number] = parseExactJson('[10.0]') as [ExactNumber]
    expect(number).toBeInstanceOf(ExactNumber)
    expect([Number(number), Number(number) + 1, String(number)]).toEqual([10, 11, '10.0'])
    expect(isJsonObject(number)).toBe(false)
  })
})

describe('losesDigits', () => {
  it.each([
    '{"timestamp":"2026-01-01T00:00:00.000Z","a":"1.0","b":[1,2.5,0.001]}',
    '{"a":100,"b":-1,"c":0,"d":1e+21,"e":123456789012345,"f":9007199254740992}',
    '[]',
    '7',
  ])('losesDigits is false if JSON.parse keeps the digits: %s', (text) => {
    expect(losesDigits(text)).toBe(false)
    expect(JSON.stringify(JSON.parse(text))).toBe(text)
  })

  it('losesDigits is true for every number that JSON.parse changes, at any position', () => {
    for (const number of ['1.0', '-0', '1e5', '1E400', '9007199254740993', '0.0000001', '-1.50', '1.0e1'])
      for (const text of [number, `[${number}]`, `[1,${number},2]`, `{"a":${number}}`, `{ "a" : ${number} , "b":1}`])
        expect([text, losesDigits(text)]).toEqual([text, true])
  })
})

it('jsonObject keeps the order of names, and the last value of a repeated name', () => {
  const object = jsonObject([
    ['b', 1],
    ['2', 2],
    ['1', 3],
    ['b', 4],
  ])
  expect(JSON.stringify(object)).toBe('{"b":4,"2":2,"1":3}')
  expect(Object.entries(object)).toEqual([
    ['b', 4],
    ['2', 2],
    ['1', 3],
  ])
  expect(object).toMatchObject({ b: 4, 2: 2 })
})

it('compactJson removes whitespace between tokens, but not within strings', () => {
  expect(compactJson('{ "a b" : [ 1.0 ,\n"\\u00e9\\/\\ud800" , " \\" " ] }')).toBe('{"a b":[1.0,"é/\\ud800"," \\" "]}')
})

it('jsonMembers returns each member as text, and jsonText joins them to the same object', () => {
  const text = '{"a":{"x":[",}"]},"\\u0062":1e400,"10":"]","a":2.0,"e":[]}'
  const members = jsonMembers(` ${text} `)
  expect([...members]).toEqual([
    ['a', '2.0'],
    ['b', '1e400'],
    ['10', '"]"'],
    ['e', '[]'],
  ])
  expect(jsonText(members)).toBe('{"a":2.0,"b":1e400,"10":"]","e":[]}')
  expect([...jsonMembers('{}')]).toEqual([])
})
