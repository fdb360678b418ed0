import { describe, expect, test } from 'vitest'
import { renderTemplate, templateLimits, templateProblem } from './json-template.ts'

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

describe('a template writes JSON', () => {
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

  test('nothing but the own properties of the variables can be read', () => {
    for (const path of ['body.constructor', 'body.toString', 'body.items.constructor.constructor', 'process', 'global'])
      expect(rendered(`{{ ${path} | json }}`)).toBeNull()
    expect(rendered('{{ body["__proto__"] | json }}')).toEqual({ x: 1 })
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false)
  })
})

describe('a text that is no template', () => {
  test.each([
    ['an unknown filter', '{"a":"{{ body.a | nope }}"}', 'undefined filter: nope'],
    ['an output that does not end', '{{ body.a', 'not closed'],
    ['a tag that does not end', '{% if body.a %}x', 'not closed'],
    ['include', '{% include "etc" %}', 'tag "include" not found'],
    ['render', '{% render "etc" %}', 'tag "render" not found'],
    ['layout', '{% layout "etc" %}', 'tag "layout" not found'],
    ['block', '{% block a %}{% endblock %}', 'tag "block" not found'],
    ['a filter that runs expressions', '{{ body.items | where_exp: "i", "i.a" }}', 'undefined filter'],
    ['too long a text', 'x'.repeat(templateLimits.characters + 1), 'limit exceeded'],
  ])('%s', (_, template, message) => {
    expect(templateProblem(template)?.message).toContain(message)
    expect(rendered(template)).toContain(message)
  })

  test('is told with the lines around the place', () => {
    expect(templateProblem('{\n  "a": "{{ body.a | nope }}"\n}')?.context).toBe(
      `   1| {\n>> 2|   "a": "{{ body.a | nope }}"\n${' '.repeat(14)}^\n   3| }`,
    )
  })
})

describe('a template that would take too much ends', () => {
  test.each([
    [
      'steps',
      '{% for a in (1..900) %}{% for b in (1..900) %}{% for c in (1..900) %}{% endfor %}{% endfor %}{% endfor %}',
    ],
    ['whole values', '{% for a in (1..9000) %}{% assign x = large | json %}{% endfor %}'],
    ['memory', '{% for a in (1..100000000) %}{% endfor %}'],
    ['output', `{% for a in (1..1000) %}${'x'.repeat(2000)}{% endfor %}`],
    [
      'a text that doubles',
      '{% assign a = "xxxxxxxx" %}{% for i in (1..60) %}{% assign a = a | append: a %}{% endfor %}"{{ a }}"',
    ],
    [
      'replacements that grow',
      '{% assign a = "xxxxxxxx" %}{% for i in (1..60) %}{% assign a = a | replace: "x", "xxxxxxxx" %}{% endfor %}',
    ],
  ])('%s', (_, template) => {
    const started = performance.now()
    expect(rendered(template, { large: 'x'.repeat(500_000) })).toMatch(
      /limit exceeded|renders to too much|too many steps/,
    )
    expect(performance.now() - started).toBeLessThan(2000)
  })
})
