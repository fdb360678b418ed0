import { expect, test } from 'vitest'
import { fallbackPaths, renderFallback } from './fallback-template.ts'
import { renderText } from './json-template.ts'

const values = [
  undefined,
  null,
  '',
  ' ',
  'ada@example.com',
  'é"\\\n',
  0,
  -1.5,
  1e21,
  true,
  false,
  'x'.repeat(2000),
  [],
  ['a'],
  {},
  { email: 'inner' },
] as const

/** Events with each value at each of three paths, and with paths through values that are not objects. */
const events = values.flatMap((first) =>
  values.flatMap((second) =>
    values.map((third) => ({
      context: { traits: { email: first } },
      properties: { email: second },
      traits: typeof third === 'object' && third !== null ? third : { email: third },
    })),
  ),
)

test.each([
  '{{ context.traits.email | default: properties.email | default: traits.email }}',
  '{{properties.email|default:traits.email}}',
  '{{ traits.email }}',
  '{{ context.traits.email.deeper | default: properties.email.deeper | default: traits.email }}',
])('the result without Liquid equals that of Liquid: %s', (text) => {
  const paths = fallbackPaths(text) ?? []
  expect(paths.length).toBeGreaterThan(0)
  let written = 0
  for (const event of events) {
    const plain = renderFallback(paths, event, 1000, () => {})
    if (plain === undefined) continue
    written++
    expect({ text: plain }).toEqual(renderText(text, event))
  }
  expect(written).toBeGreaterThan(events.length / 4)
})

test.each([
  'Hello {{ properties.email }}',
  '{{ properties.email | upcase }}',
  '{{ properties.email | default: "nobody" }}',
  '{{ properties.list.first | default: properties.email }}',
  '{{ properties.email.size }}',
  '{{ properties.true }}',
  '{{ properties["email"] }}',
  '{{- properties.email -}}',
  '{{ email }}',
  '{{ properties.email }}{{ traits.email }}',
  '{% if true %}{{ properties.email }}{% endif %}',
])('a template with any other syntax is left to Liquid: %s', (text) => {
  expect(fallbackPaths(text)).toBeUndefined()
})

test('properties that a value only inherits are not read', () => {
  for (const text of ['{{ properties.constructor }}', '{{ properties.__proto__ | default: properties.toString }}']) {
    const paths = fallbackPaths(text) ?? []
    for (const properties of [{}, { constructor: 'own' }, 'text', 5]) {
      const plain = renderFallback(paths, { properties }, 1000, () => {})
      expect({ text: plain }).toEqual(renderText(text, { properties }))
    }
  }
})

test('each name and each character of the output is charged as work', () => {
  let work = 0
  const event = { properties: { email: 'x'.repeat(100) } }
  expect(
    renderFallback(
      [
        ['context', 'email'],
        ['properties', 'email'],
      ],
      event,
      1000,
      (more) => (work += more),
    ),
  ).toBe('x'.repeat(100))
  expect(work).toBeGreaterThan(1400)
})
