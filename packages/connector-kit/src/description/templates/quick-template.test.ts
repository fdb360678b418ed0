import { ExactNumber } from '@tributary/kernel'
import { expect, it } from 'vitest'
import { renderValue } from '../../templates/json-template.ts'
import { quickTemplate } from './quick-template.ts'
import { renderLeaf, scopeOf } from './render-tree.ts'

const templates = [
  '{{ a | slice: 0, 3 }}',
  '{{ a | slice: 0, 80 }}',
  '{{ a.b | slice: 0,1 }}',
  '{{ a | downcase }}',
  '{{ a | append: b | sha256 }}',
  '{{ a | append: b }}',
  '{{ a | default: b }}',
  '{{ a | default: b | slice: 0, 2 }}',
  '{{ t | date: "%s" | plus: 0 }}',
  "{{ t | date: '%s%L' | plus: 0 }}",
  '{% if a %}yes{% endif %}',
  '{% if a == true or a == false %}yes{% endif %}',
  '{% if a or b %}yes{% endif %}',
  '{% unless a %}{{ b }}{% endunless %}',
  '{% if a %}{{ a | append: b | sha256 }}{% endif %}',
  '{% if a.b == true %}{{ b }}{% endif %}',
]
const values = [
  undefined,
  null,
  '',
  'x',
  'Größe',
  'a\ud83d\ude00b',
  'half \ud83d',
  ' blank ',
  true,
  false,
  0,
  7,
  -1.5,
  new ExactNumber('12345678901234567890'),
  [],
  ['x', 1],
  {},
  { b: 'inner' },
  { b: true },
  { b: null },
]
const times = [
  '2026-01-02T03:04:05.678Z',
  '2026-01-02T03:04:05Z',
  '1969-12-31T23:59:59.999Z',
  '2026-02-30T00:00:00Z',
  'soon',
]

it.each(templates)('the template %s gives without Liquid what Liquid gives', (template) => {
  expect(quickTemplate(template)).toBeDefined()
  const given = [...times, ...values, 1_767_323_045, '2026-01-02', '2026-13-01T00:00:00Z', '0000-01-01T00:00:00Z']
  for (const a of given)
    for (const b of template.includes(' t ') ? [''] : values) {
      const variables = { a, b, t: a }
      const liquid = renderValue(template, variables)
      const wanted = 'problem' in liquid || liquid.value === '' ? undefined : liquid.value
      let found: unknown
      try {
        found = renderLeaf(template, scopeOf(variables))
      } catch {
        expect('problem' in liquid).toBe(true)
      }
      expect(found, JSON.stringify([a, b])).toEqual(wanted)
    }
})

it.each([
  '{{ a | upcase }}',
  '{{ a | slice: 1 }}',
  '{{ a | date: "%Y" | plus: 0 }}',
  '{{ a | default: "x" }}',
  '{{ true | slice: 0, 1 }} x',
  '{% if a > 1 %}x{% endif %}',
  '{% if a and b %}x{% endif %}',
  '{% if a %}x{% else %}y{% endif %}',
  '{% if a %}{{ b | json }}{% endif %}',
  '{% unless a %}x{% endif %}',
])('the template %s is left to Liquid', (template) => {
  expect(quickTemplate(template)).toBeUndefined()
})
