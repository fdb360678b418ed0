import { expect, it } from 'vitest'
import { sampleText } from '../description/testing-descriptions.ts'
import { readOwn } from './read-own.ts'
import { sizeProblem } from './size-limits.ts'

const many = (count: number, make: (index: number) => unknown): object =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, make(index)]))

const nested = (levels: number): unknown => {
  let tree: unknown = 'x'
  for (let level = 0; level < levels; level++) tree = { a: tree }
  return tree
}

const field = { label: 'F', help: 'H.', type: 'string', kind: 'property' }

it.each<[string, object, string | undefined]>([
  ['20,000 rules', { answers: { rules: Array.from({ length: 20_000 }, () => ({})) } }, 'more than 10000 values'],
  ['100,000 levels', { actions: nested(100_000) }, 'more than 10000 values'],
  ['50 levels', { actions: nested(50) }, 'too deep: it has more than 40 levels'],
  ['700 templates', { test: { item: Array.from({ length: 700 }, () => '{{ id }}') } }, 'more than 600 templates'],
  ['51 settings', { settings: many(51, () => ({})) }, 'more than 50 settings'],
  ['101 presets', { presets: Array.from({ length: 101 }, () => ({})) }, 'more than 100 presets'],
  ['301 fields', { actions: { a: { fields: many(301, () => 'email') } } }, 'more than 300 fields'],
  [
    '20 fields of 200 event names',
    {
      actions: { a: { fields: many(20, () => 'email') } },
      presets: [{ action: 'a', event_names: many(200, () => 'x') }],
    },
    'The presets map more than 3000 fields',
  ],
  ['an action that is a name of every object', { actions: {}, presets: [{ action: 'constructor' }] }, undefined],
  ['many test vectors', { vectors: many(20_000, () => 1) }, undefined],
])('the size of a description with %s', (_, parts, expected) => {
  const problem = sizeProblem({ format: 1, ...parts } as Record<string, unknown>)
  if (expected === undefined) expect(problem).toBeUndefined()
  else expect(problem).toContain(expected)
})

it('a description that is too large is refused before it is read', () => {
  const description = sampleText({ settings: many(51, () => field) })
  expect(readOwn({ description, guide: '' }, 'own-a-1')).toEqual({
    ok: false,
    problems: [{ path: '', message: 'The description has more than 50 settings' }],
  })
})

it('a chain of lookups, each with two others behind it, is read in linear time', () => {
  const at = (index: number): string => `m${Math.min(index, 44)}`
  const requests = many(45, (index) => ({
    method: 'GET',
    server: 'api',
    path: '/{{ id }}',
    find: { request: at(index + 1), value: 'id', otherwise: at(index + 2) },
  }))
  const { actions } = JSON.parse(sampleText()) as { actions: { send: object } }
  const description = sampleText({ requests: { ...requests }, actions: { send: { ...actions.send, request: 'm0' } } })
  expect(readOwn({ description, guide: '' }, 'own-a-1')).toMatchObject({ ok: true })
})
