import { describe, expect, it } from 'vitest'
import { EngineError } from './engine-error.ts'
import { paramLiteral, parseParamType, quoteString, unescapeTsv } from './literals.ts'
import { substituteParams } from './substitute.ts'

const codeOf = (call: () => unknown): number | undefined => {
  try {
    call()
    return undefined
  } catch (error) {
    return error instanceof EngineError ? error.code : -1
  }
}

describe('paramLiteral', () => {
  it.each([
    ['String', "a'b", "'a\\'b'"],
    ['String', "\\\\'", "'\\\\\\''"],
    ['String', 'a\\nb', "'a\\nb'"],
    ['String', '\\x27', "'\\''"],
    ['String', '\0', "'\\0'"],
    ['UInt8', '255', "CAST('255', 'UInt8')"],
    ['Int256', '-1', "CAST('-1', 'Int256')"],
    ['Float64', 'nan', "CAST('nan', 'Float64')"],
    ['Bool', '1', 'true'],
    ['Nullable(UInt8)', '\\N', "CAST(NULL, 'Nullable(UInt8)')"],
    ['LowCardinality(Nullable(String))', 'x', "CAST('x', 'LowCardinality(Nullable(String))')"],
    ["DateTime64(3, 'UTC')", '1.5', "CAST('1.5', 'DateTime64(3, \\'UTC\\')')"],
    ['Array(Tuple(String, UInt8))', "[('a',1)]", "CAST('[(\\'a\\',1)]', 'Array(Tuple(String, UInt8))')"],
    ['Identifier', 'db.table_1', '`db`.`table_1`'],
  ])('paramLiteral writes %s %s as %s', (type, raw, literal) => {
    expect(paramLiteral('x', type, raw)).toBe(literal)
  })

  it.each([
    ['UInt8', '256'],
    ['UInt8', '-1'],
    ['Int8', '-129'],
    ['UInt64', '18446744073709551616'],
    ['UInt64', '1.0'],
    ['UInt64', '0x10'],
    ['UInt64', ''],
    ['UInt64', '\\N'],
    ['Float64', '1; drop table x'],
    ['Float64', "1'"],
    ['Bool', 'yes'],
    ['Identifier', 'a b'],
    ['Identifier', 'a`b'],
    ['Identifier', 'a.b.c'],
    ['Identifier', '1a'],
    ['Identifier', ''],
  ])('paramLiteral rejects %s %j', (type, raw) => {
    expect(codeOf(() => paramLiteral('x', type, raw))).toBe(457)
  })

  it.each([
    "String') as x --",
    'Array(String',
    'Array(String))',
    'Array()',
    'Nullable',
    'String(1)',
    'FixedString(a)',
    "DateTime64(3, 'UTC', 1)",
    "DateTime64(3, 'a\\'')",
    'DateTime64(30)',
    "Enum8('a' = 1)",
    'AggregateFunction(count)',
    'Object',
    'Nullable(Nullable(Nullable(Nullable(Nullable(Nullable(Nullable(Nullable(Nullable(String)))))))))',
    'constructor',
    'toString',
    '__proto__(String)',
  ])('paramLiteral rejects the type %s', (type) => {
    expect(codeOf(() => parseParamType(type))).toBe(457)
  })
})

describe('substituteParams', () => {
  const params = new Map([
    ['a', "x' or 1 --"],
    ['n', '5'],
    ['nested', '{n:UInt8}'],
  ])

  it.each([
    ['select {a:String}', "select 'x\\' or 1 --'"],
    ['select { a : String }, {n:UInt8}', "select 'x\\' or 1 --', CAST('5', 'UInt8')"],
    ['select {nested:String}', "select '{n:UInt8}'"],
    ['select \'{a:String}\', "{a:String}", `{a:String}`', 'select \'{a:String}\', "{a:String}", `{a:String}`'],
    ["select 'it''s \\' {a:String}', {n:UInt8}", "select 'it''s \\' {a:String}', CAST('5', 'UInt8')"],
    ['select 1 -- {a:String}\n, {n:UInt8}', "select 1 -- {a:String}\n, CAST('5', 'UInt8')"],
    ['select 1 /* {a:String} */', 'select 1 /* {a:String} */'],
    ['select $x${a:String}$x$, $${n:UInt8}$$', 'select $x${a:String}$x$, $${n:UInt8}$$'],
    ["select {'k': 1}, {1: 2}, map('a', 1)", "select {'k': 1}, {1: 2}, map('a', 1)"],
    ['select 1;', 'select 1'],
    ['select 1 ; -- end\n /* x */ ;', 'select 1 '],
  ])('substituteParams replaces placeholders in %j: %j', (sql, expected) => {
    expect(substituteParams(sql, params)).toBe(expected)
  })

  it('substituteParams rejects second statements, open quotes and comments, and parameters without a value', () => {
    for (const sql of ['select 1; select 2', "select 'a", 'select "a', 'select `a', 'select /* a', "select 'a\\'"]) {
      expect(
        codeOf(() => substituteParams(sql, params)),
        sql,
      ).toBe(62)
    }
    expect(codeOf(() => substituteParams('select {missing:String}', params))).toBe(456)
    expect(codeOf(() => substituteParams('select {constructor:String}', params))).toBe(456)
  })

  it('substituteParams ends every string literal exactly at its end, for random texts', () => {
    const pieces = ["'", '\\', '"', '`', '\0', '\n', '{', '}', '$$', '--', '/*', 'n', 'x27', '😀', '\ud800']
    let state = 7
    const next = (below: number): number => {
      state = (state * 48_271) % 2_147_483_647
      return state % below
    }
    for (let round = 0; round < 5_000; round += 1) {
      const text = Array.from({ length: next(10) }, () => pieces[next(pieces.length)]).join('')
      const literal = quoteString(text)
      // For any text: one quoted token, with every inner quote and backslash escaped.
      expect(literal).toMatch(/^'(?:[^'\\\n\0]|\\[\\'0bfnrt])*'$/)
      expect(unescapeTsv(literal.slice(1, -1))).toBe(text)
      expect(substituteParams(`select ${literal}`, new Map())).toBe(`select ${literal}`)
    }
  })
})
