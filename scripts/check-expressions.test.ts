import { checkSync } from 'recheck'
import { describe, expect, test } from 'vitest'
import { problemOfExpression } from './expressions/analyze.ts'
import { expressionsOf } from './expressions/collect.ts'
import { isLinearByForm } from './expressions/parts.ts'
import { slowText } from './expressions/pumped.ts'

describe('the check of regular expressions', () => {
  test.each([
    ['a literal', 'const a = /x+$/g', [{ line: 1, source: 'x+$', flags: 'g' }]],
    ['a constant text', "\nconst a = new RegExp('x+$', 'u')", [{ line: 2, source: 'x+$', flags: 'u' }]],
    ['a call without new', "const a = RegExp('x')", [{ line: 1, source: 'x', flags: '' }]],
    [
      'a template of constants',
      'const b = `y`; const a = new RegExp(`^${b}+`)',
      [{ line: 1, source: '^y+', flags: '' }],
    ],
    ['a raw template', 'const a = new RegExp(String.raw`\\s+$`)', [{ line: 1, source: '\\s+$', flags: '' }]],
    ['a sum', "const a = new RegExp('x' + '+$')", [{ line: 1, source: 'x+$', flags: '' }]],
    ['a text that a method takes', "text.search('x+$')", [{ line: 1, source: 'x+$', flags: '' }]],
    ['a literal in JSX', 'const A = () => <p>{/x+/.test(b)}</p>', [{ line: 1, source: 'x+', flags: '' }]],
    ['a variable', 'const a = (b) => new RegExp(b)', [{ line: 1, made: 'new RegExp(b)' }]],
    ['variable flags', "const a = (b) => new RegExp('x', b)", [{ line: 1, made: "new RegExp('x', b)" }]],
  ])('the check of regular expressions finds %s', (_what, code, expressions) => {
    expect(expressionsOf('a.tsx', code)).toEqual(expressions)
  })

  test.each([
    ['=+$', ''],
    ['^-?(\\d+\\.?\\d*|\\.\\d+)$', ''],
    ['[;\\s]+$', ''],
    ['^(a|a)*$', ''],
    ['<[^>]*>', 'g'],
    ['^\\s*(|null)\\s*$', 'i'],
  ])('the check of regular expressions rejects /%s/%s', (source, flags) => {
    expect(isLinearByForm(source, flags)).toBe(false)
    expect(problemOfExpression(source, flags)).toMatch(/polynomial|exponential/)
  })

  test.each([
    ['^[a-z0-9_-]{1,64}$', ''],
    ['^-?\\d+(?:\\.\\d+)?$', ''],
    ['[\\p{L}\\p{N}]', 'gu'],
    ['"(?:[^"\\\\]|\\\\.)*"?', 'g'],
  ])('the check of regular expressions accepts /%s/%s', (source, flags) => {
    expect(problemOfExpression(source, flags)).toBeUndefined()
  })

  test.each([
    ['=+$', ''],
    ['a+a+a+b', ''],
    ['(?:a?){30}a{30}', ''],
    ['^a*b|a+c', 'm'],
    // Several repetitions, each of which may leave characters for the next one.
    ['^\\s*\\s*$', ''],
    ['^a+[ab]+$', ''],
    ['^\\d+\\.?\\d+$', ''],
    ['^[a-c]+x?[C]+$', 'i'],
    ['^\\w+-*[a-z]*$', ''],
    ['^(?:a+b+)+$', ''],
    ['^a+|b+a+$', ''],
    ['a+b+', ''],
    ['^a+b+', 'm'],
    ['^a+(?=b)a+', ''],
    ['^[^]+b+$', ''],
    ['^.{1,20}b{1,20}$', ''],
  ])('an expression that does not take linear time is not accepted by its form: /%s/%s', (source, flags) => {
    expect(isLinearByForm(source, flags)).toBe(false)
  })

  test.each([
    ['^Bearer +(\\S{1,200})$', 'i'],
    ['^\\d{1,20}\\.\\d{1,20}$', ''],
    ['^"writeKey"\\s*:\\s*"([^"\\\\]{1,256})"', ''],
    ['^(\\S+) (\\d+) ([^]*)$', ''],
    ['^[^\\s@]+@[^\\s@]+$', ''],
  ])(
    'an expression that is accepted as linear by its form is also accepted by the analyzer: /%s/%s',
    (source, flags) => {
      expect(isLinearByForm(source, flags)).toBe(true)
      // A busy machine needs more time than the default limits of the analyzer.
      expect(checkSync(source, flags, { timeout: 60_000, attackTimeout: 60_000 }).status).toBe('safe')
    },
  )

  test('the check of regular expressions finds quadratic time with texts of 60,000 characters', () => {
    expect(slowText('\\s+\\d', '')?.ms).toBeGreaterThan(100)
    expect(slowText('^\\s+\\d', '')).toBeUndefined()
  })
})
