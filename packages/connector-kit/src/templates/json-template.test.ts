import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { offeredFilters, templateProblemText } from '@tributary/contract'
import { Liquid } from 'liquidjs'
import { describe, expect, test, vi } from 'vitest'
import {
  renderTemplate,
  renderText,
  templateCacheEntries,
  templateFilterNames,
  templateLimits,
  templateProblem,
} from './json-template.ts'

const body = JSON.parse(
  '{"name":"A \\"quoted\\"\\nname","total":12.5,"items":[{"sku":"a"}],"none":null,"__proto__":{"x":1}}',
)
const rendered = (template: string, variables: object = { body }): unknown => {
  const result = renderTemplate(template, { ...variables })
  if ('problem' in result) return result.problem.message
  try {
    return JSON.parse(result.text)
  } catch {
    return result.text
  }
}

describe('a template that writes JSON', () => {
  test.each<[string, string, unknown]>([
    ['a text in quotes cannot end them', '{"a":"{{ body.name }}"}', { a: 'A "quoted"\nname' }],
    ['a text with a filter neither', '{"a":"Hello {{ body.name | append: \'"\' }}"}', { a: 'Hello A "quoted"\nname"' }],
    ['a number is a number', '{"a":{{ body.total }}}', { a: 12.5 }],
    ['a list is a list', '{"a":{{ body.items }}}', { a: [{ sku: 'a' }] }],
    [
      'a whole value of any kind',
      '[{{ body.name | json }},{{ body.none | json }},{{ body.nothing | json }}]',
      [body.name, null, null],
    ],
    [
      'loops and conditions',
      '[{% for i in body.items %}{% if i.sku == "a" %}"{{ i.sku | upcase }}"{% endif %}{% endfor %}]',
      ['A'],
    ],
    ['arithmetic', '{"cents":{{ body.total | times: 100 | floor }}}', { cents: 1250 }],
    ['times are in UTC', '"{{ "2026-01-02T23:30:00Z" | date: "%Y-%m-%d %H:%M" }}"', '2026-01-02 23:30'],
  ])('%s', (_, template, wanted) => {
    expect(rendered(template)).toEqual(wanted)
  })

  test('a template can read only own properties of the variables', () => {
    for (const path of ['body.constructor', 'body.toString', 'body.items.constructor.constructor', 'process', 'global'])
      expect(rendered(`{{ ${path} | json }}`)).toBeNull()
    expect(rendered('{{ body["__proto__"] | json }}')).toEqual({ x: 1 })
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false)
  })
})

describe('a template that writes plain text', () => {
  test.each<[string, string, string]>([
    ['texts as they are', '{{ body.name }}', body.name],
    ['numbers', '{{ body.total }}', '12.5'],
    ['nothing for nothing', '[{{ body.none }}{{ body.gone }}]', '[]'],
    ['lists and objects as JSON', '{{ body.items }}', '[{"sku":"a"}]'],
    ['what a filter gives', '{{ body.name | upcase | append: "\n" }}', `${body.name.toUpperCase()}\n`],
  ])('%s', (_, template, wanted) => {
    expect(renderText(template, { body })).toEqual({ text: wanted })
  })

  test.each<[string, string, string]>([
    ['append', '{{ "a" | append: "b" }}', 'ab'],
    ['prepend', '{{ "a" | prepend: "b" }}', 'ba'],
    ['capitalize', '{{ "order completed" | capitalize }}', 'Order completed'],
    ['downcase', '{{ "ABC" | downcase }}', 'abc'],
    ['upcase', '{{ "abc" | upcase }}', 'ABC'],
    ['ceil', '{{ 1.2 | ceil }}', '2'],
    ['floor', '{{ 1.8 | floor }}', '1'],
    ['plus', '{{ 1 | plus: 2 }}', '3'],
    ['date', '{{ "2026-01-02T23:30:00Z" | date: "%d.%m.%Y" }}', '02.01.2026'],
  ])('a text template accepts the offered filter %s', (name, template, wanted) => {
    expect(offeredFilters).toContain(name)
    expect(renderText(template, {})).toEqual({ text: wanted })
  })

  test('MAP-12: nine filters are offered, and the engine has all of them', () => {
    expect(offeredFilters).toEqual([
      'append',
      'prepend',
      'capitalize',
      'downcase',
      'upcase',
      'ceil',
      'floor',
      'plus',
      'date',
    ])
    expect(templateFilterNames()).toEqual(expect.arrayContaining([...offeredFilters]))
  })

  test.each([
    ['loops', '{% for a in (1..900) %}{% for b in (1..900) %}x{% endfor %}{% endfor %}', /reads too much data/],
    [
      'allocates',
      '{% assign a = "xxxxxxxx" %}{% for i in (1..60) %}{% assign a = a | append: a %}{% endfor %}',
      /reads too much data/,
    ],
    ['writes', `{% for a in (1..1000) %}${'x'.repeat(2000)}{% endfor %}`, /too large/],
  ])('a text template with a filter that %s endlessly is stopped', (_, template, message) => {
    const result = renderText(template, {})
    expect('problem' in result && result.problem.message).toMatch(message)
  })
})

describe('a text that is not a template', () => {
  test('an invalid template is reported as Error with its position [MAP-14]', () => {
    const problem = templateProblem('{{ a')
    expect(problem === undefined ? '' : templateProblemText(problem)).toMatch(/^Error at >> 1\| \{\{ a\n/)
  })

  test.each([
    ['an unknown filter', '{"a":"{{ body.a | nope }}"}', 'undefined filter: nope'],
    ['an output that does not end', '{{ body.a', 'not closed'],
    ['a tag that does not end', '{% if body.a %}x', 'not closed'],
    ['include', '{% include "etc" %}', 'tag "include" not found'],
    ['render', '{% render "etc" %}', 'tag "render" not found'],
    ['layout', '{% layout "etc" %}', 'tag "layout" not found'],
    ['block', '{% block a %}{% endblock %}', 'tag "block" not found'],
    ['a filter that runs expressions', '{{ body.items | where_exp: "i", "i.a" }}', 'undefined filter'],
    ['too many outputs', '{{a}}'.repeat(templateLimits.parts + 1), 'more than 1000 tags and outputs'],
    ['too many tags', '{% # %}'.repeat(templateLimits.parts + 1), 'more than 1000 tags and outputs'],
    [
      'too many lines',
      `{% liquid\n${'# \n'.repeat(2 * templateLimits.parts + 1)}%}`,
      'more than 1000 tags and outputs',
    ],
    ['a liquid tag in another', '{% liquid liquid echo 1 %}', 'tag "liquid" cannot stand in another'],
    ['too long a text', 'x'.repeat(templateLimits.characters + 1), 'limit exceeded'],
  ])('%s', (_, template, message) => {
    expect(templateProblem(template)?.message).toContain(message)
    expect(rendered(template)).toContain(message)
  })

  test('an invalid template is reported with the lines around its position', () => {
    expect(templateProblem('{\n  "a": "{{ body.a | nope }}"\n}')?.context).toBe(
      `   1| {\n>> 2|   "a": "{{ body.a | nope }}"\n${' '.repeat(14)}^\n   3| }`,
    )
  })
})

describe('a template with too much work', () => {
  test('a template with filters and conditions for each of a thousand items is within the work limit', () => {
    const items = Array.from({ length: 1000 }, (_, index) => ({ sku: `s${index}`, tags: ['a', 'b'], price: index }))
    const each = `{% if i.tags contains "b" and i.price >= 0 %}{"sku":"{{ i.sku | upcase | replace: 'S', 't' }}"}{% endif %}`
    const template = `[{% for i in body.items %}${each}{% unless forloop.last %},{% endunless %}{% endfor %}]`
    expect(rendered(template, { body: { items } })).toHaveLength(1000)
  })
})

test('MAP-16: 1024 compiled templates are cached, the most recently used ones', () => {
  expect(templateCacheEntries).toBe(1024)
  const parse = vi.spyOn(Liquid.prototype, 'parse')
  const use = (n: number): number => {
    parse.mockClear()
    expect(renderText(`n${n}`, {})).toEqual({ text: `n${n}` })
    return parse.mock.calls.length
  }
  for (let n = 0; n < 1024; n++) expect(use(n)).toBe(1)
  for (let n = 0; n < 1024; n++) expect(use(n)).toBe(0)
  expect(use(1024)).toBe(1)
  expect(use(1)).toBe(0)
  expect(use(0)).toBe(1)
  parse.mockRestore()
})

test('many templates of one owner are evicted before those of others', () => {
  const parse = vi.spyOn(Liquid.prototype, 'parse')
  const use = (text: string, owner: string): number => {
    parse.mockClear()
    renderText(text, {}, { owner })
    return parse.mock.calls.length
  }
  expect(use('mine', 'a')).toBe(1)
  for (let n = 0; n < 100; n++) expect(use(`${'x'.repeat(9000)}${n}`, 'b')).toBe(1)
  expect(use(`${'x'.repeat(9000)}99`, 'b')).toBe(0)
  expect(use(`${'x'.repeat(9000)}0`, 'b')).toBe(1)
  expect(use('mine', 'a')).toBe(0)
  // A text that is only checked is not cached.
  expect(templateProblem('looked at')).toBeUndefined()
  expect(use('looked at', 'a')).toBe(1)
  parse.mockRestore()
})

test('compiled templates are evicted before they use much memory', () => {
  setFlagsFromString('--expose-gc')
  const gc: () => void = runInNewContext('gc')
  gc()
  const before = process.memoryUsage().heapUsed
  // Each compiled template takes about 2 MB.
  for (let index = 0; index < 80; index++) renderText(`${'{{a}}'.repeat(990)}${index}`, {}, { owner: `o${index}` })
  gc()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(125 * 1024 * 1024)
})
