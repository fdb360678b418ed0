import { expect, test } from 'vitest'
import { jsonShapeProblem } from './json-shape.ts'

const limits = { depth: 3, values: 6 }

test.each<[string, 'depth' | 'values' | undefined]>([
  ['', undefined],
  ['1', undefined],
  ['[[[]]]', undefined],
  ['[[[[]]]]', 'depth'],
  ['[[[],[]]]', undefined],
  ['[[],[],[]]', 'values'],
  ['{"a":{"b":{"c":1}}}', undefined],
  ['{"a":[{"b":[]}]}', 'depth'],
  ['[1,2,3,4,5]', undefined],
  ['[1,2,3,4,5,6]', 'values'],
  ['["[[[[,,,,,,,"]', undefined],
  [String.raw`["\"[[[[,,,,,,,"]`, undefined],
  [String.raw`["\\",[[[]]]]`, 'depth'],
  [String.raw`["\\\"",[[]]]`, undefined],
  ['["never ended [[[[', undefined],
])('the JSON text %s exceeds the limit of %s', (text, expected) => {
  expect(jsonShapeProblem(text, limits)).toBe(expected)
})

test('values of every text that JSON.stringify produces are counted exactly', () => {
  const strings = ['', '"', '\\', '\\"', '[,{', 'a\\\\"', '\u2028']
  const value = { a: strings, b: { c: strings.map((text) => ({ [text]: [text] })) } }
  let values = 0
  let depth = 0
  const walk = (each: unknown, level: number): void => {
    depth = Math.max(depth, level)
    if (typeof each !== 'object' || each === null) return
    const inner = Object.values(each)
    // The container counts as one value, and each comma as one.
    values += Math.max(1, inner.length)
    for (const child of inner) walk(child, typeof child === 'object' ? level + 1 : level)
  }
  walk(value, 1)
  const text = JSON.stringify(value)
  expect(jsonShapeProblem(text, { depth, values: values + 1 })).toBeUndefined()
  expect(jsonShapeProblem(text, { depth, values })).toBe('values')
  expect(jsonShapeProblem(text, { depth: depth - 1, values: values + 1 })).toBe('depth')
})
