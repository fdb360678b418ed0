import { ExactNumber } from '@tributary/kernel'
import { describe, expect, test } from 'vitest'
import { renderText } from './json-template.ts'

const made = (template: string, values: Record<string, unknown> = {}): string => {
  const rendered = renderText(`{{ ${template} }}`, values)
  return 'text' in rendered ? rendered.text : `problem: ${rendered.problem.message}`
}

describe('filters of numbers compute with decimals', () => {
  test.each([
    ['19.99 | times: 100', '1999'],
    ['0.1 | plus: 0.2', '0.3'],
    ['1.1 | times: 1.1', '1.21'],
    ['0.3 | minus: 0.1', '0.2'],
    ['0.3 | divided_by: 0.1', '3'],
    ['4.35 | times: 100', '435'],
    ['1.005 | round: 2', '1.01'],
    ['-2.5 | round', '-3'],
    ['1234 | round: -2', '1200'],
    ['5.7 | modulo: 0.1', '0'],
    ['-5 | modulo: 3', '1'],
    ['4.1 | times: 10 | ceil', '41'],
    ['-1.5 | floor', '-2'],
    ['-0.5 | ceil', '0'],
    ['-19.90 | abs', '19.9'],
    ['0.1 | at_least: 0.2 | at_most: 0.15', '0.15'],
    ['10 | divided_by: 4', '2.5'],
    ['1 | divided_by: 3', '0.3333333333333333'],
    ['-7 | divided_by: 2, true', '-4'],
    ['"1e3" | times: 1.5', '1500'],
    ['"19.99" | times: "100"', '1999'],
    ['" 5 " | plus: 1', '6'],
    ['"12abc" | plus: 1', '13'],
    ['"abc" | plus: 1', '1'],
    ['gone | plus: 1', '1'],
    ['true | plus: 1', '2'],
    ['5 | divided_by: 0', 'null'],
    ['5 | modulo: 0', 'null'],
  ])('the number filter %s gives %s', (template, text) => {
    expect(made(template)).toBe(text)
  })

  test.each([
    ['id', '12345678901234567890'],
    ['id | plus: 1', '12345678901234567891'],
    ['id | times: 10', '123456789012345678900'],
    ['id | minus: id', '0'],
    ['id | modulo: 1000', '890'],
    ['id | round', '12345678901234567890'],
    ['id | append: "x"', '12345678901234567890x'],
    ['huge', '1e400'],
    ['9007199254740991 | plus: 2', '9007199254740993'],
  ])('numbers beyond doubles keep their digits: %s gives %s', (template, text) => {
    const values = { id: new ExactNumber('12345678901234567890'), huge: new ExactNumber('1e400') }
    expect(made(template, values)).toBe(text)
  })

  test.each([
    ['list | sum', '0.3'],
    ['items | sum: "quantity"', '5'],
    ['items | map: "quantity" | sum', '5'],
    ['large | sum', '12345678901234567891'],
    ['gone | sum', '0'],
    ['4 | sum', '4'],
    ['items | sum: "constructor"', '0'],
  ])('the filter sum adds numbers: %s gives %s', (template, text) => {
    const items = [{ quantity: 2 }, { quantity: '3' }, {}, 'x']
    const values = { list: [0.1, 0.2], items, large: [new ExactNumber('12345678901234567890'), 1] }
    expect(made(template, values)).toBe(text)
  })

  // The values are those of Ruby's CGI.escape.
  test.each([
    ['brand:Größe & more', 'brand%3AGr%C3%B6%C3%9Fe+%26+more'],
    ["(it's) *!~_-.", '%28it%27s%29+%2A%21~_-.'],
    ['half \ud83d of one', 'half+%EF%BF%BD+of+one'],
    [7, '7'],
  ])('the filter url_encode encodes %s as Ruby does', (text, encoded) => {
    expect(made('text | url_encode', { text })).toBe(encoded)
  })

  test('numbers beyond doubles are compared by value', () => {
    const values = { id: new ExactNumber('12345678901234567890'), same: new ExactNumber('12345678901234567890') }
    const render = (condition: string): unknown => renderText(`{% if ${condition} %}yes{% else %}no{% endif %}`, values)
    expect([render('id == same'), render('id != same'), render('id > 5'), render('id == 5')]).toEqual(
      ['yes', 'no', 'yes', 'no'].map((text) => ({ text })),
    )
  })

  test.each([
    ['"🙂🙂🙂" | truncate: 2, ""', '🙂🙂'],
    ['"🙂🙂🙂" | slice: 1', '🙂'],
    ['"🙂日a" | split: "" | join: "-"', '🙂-日-a'],
    ['"🙂🙂" | split: "" | first', '🙂'],
    ['"a,b" | split: "," | last', 'b'],
    ['"🙂x" | first', '🙂'],
    ['"x🙂" | last', '🙂'],
    ['"🙂x" | default: "" | first | append: "y"', '🙂y'],
    ['"𐐨" | last', '𐐨'],
    ['"" | first', ''],
    ['"" | last', ''],
    ['"🙂b" | replace: "", "-"', '🙂-b'],
    ['given[0]', '🙂'],
    ['given[1]', '🙂'],
    ['given[2]', 'x'],
    ['given["length"]', '3'],
    ['given[9]', ''],
  ])('texts are never cut inside a character: %s gives %s', (template, text) => {
    expect(made(template, { given: '🙂x' })).toBe(text)
  })

  test('a lone surrogate from a sender stays unchanged', () => {
    const values = { half: 'a\ud83d', other: '\ude42b' }
    expect(['half | last', 'other | first', 'other[0]'].map((each) => made(each, values))).toEqual([
      '\ud83d',
      '\ude42',
      '\ude42',
    ])
  })

  test('no template can create unbounded numbers', () => {
    const loop = '{% assign n = 9 %}{% for i in (1..40) %}{% assign n = n | times: n %}{% endfor %}{{ n }}'
    expect(renderText(loop, {})).toEqual({ text: 'null' })
    expect(made('n | plus: 1', { n: '9'.repeat(100_000) })).toMatch(/^(1e400|null|1\d*|1e\+\d+)$/)
  })
})
