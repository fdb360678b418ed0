import { describe, expect, it } from 'vitest'
import { compileFilter, pathMistake, pathNames, pathOf } from './conditions.ts'

describe('a path of a field', () => {
  it.each<[string, string[]]>([
    ['event', ['event']],
    ['properties.a\\.b.0', ['properties', 'a.b', '0']],
    ['properties.items[0].sku', ['properties', 'items', '0', 'sku']],
    ['items[0][12]', ['items', '0', '12']],
    ['properties["a.b"].c', ['properties', 'a.b', 'c']],
    [`properties['a"b']["c'd"]["e\\"f\\\\"]`, ['properties', 'a"b', `c'd`, 'e"f\\']],
    ['["a.b"].c', ['a.b', 'c']],
    ['properties["a]b"][""]', ['properties', 'a]b', '']],
    ['tags\\[0]', ['tags[0]']],
    ['tags[]', ['tags[]']],
    ['a[b].c', ['a[b]', 'c']],
    ['a[0]b', ['a[0]b']],
    ['a["b', ['a["b']],
    ['a.[0]', ['a', '', '0']],
    ['a..b', ['a', '', 'b']],
    ['', ['']],
    ['a\\b', ['a\\b']],
  ])('the path %s is parsed to its names', (path, names) => {
    expect(pathNames(path)).toEqual(names)
  })

  it('a path that is formatted from any names is parsed to the same names', () => {
    for (const names of [['a'], ['a.b', 'c[0]', '["x"]', '\\', '\\.', "'", '0', ' '], ['[0]'], ['a', ''], ['\\[']])
      expect(pathNames(pathOf(names))).toEqual(names)
  })

  it('an invalid path gets a message with the mistake, and a valid path gets none', () => {
    for (const right of ['a', 'a[0].b', 'a["x.y"]', "['a'][0]", 'a\\[b']) expect(pathMistake(right)).toBeUndefined()
    for (const empty of ['', 'a..b', 'a.', 'a[""]', 'a.[0]']) expect(pathMistake(empty)).toMatch(/empty names/)
    for (const stray of ['a[', 'a[b]', 'a[-1]', 'a[0]b', 'a["b'])
      expect(pathMistake(stray)).toMatch(/^Write a list index/)
    expect(pathMistake('a[0]', true)).toMatch(/^A list/)
    expect(pathMistake('a["b"].c', true)).toBeUndefined()
  })
})

it('a condition accepts a list index and a name with a dot', () => {
  const event = { properties: { items: [{ sku: 'A' }], 'x.y': 1 } }
  const meets = (field: string, value: string) =>
    compileFilter({ match: 'all', conditions: [{ id: 'aaaa', field, operator: 'equals', value }] })(event)
  expect([meets('properties.items[0].sku', 'A'), meets('properties["x.y"]', '1')]).toEqual([true, true])
  expect(meets('properties.items[1].sku', 'A')).toBe(false)
})
