import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parseRequirements, rowIdsIn, unprovenKinds } from './requirements.ts'

const rows = parseRequirements(readFileSync(new URL('../docs/requirements.md', import.meta.url), 'utf8'))

test('the document has its 719 rows, each once and each with a kind of check', () => {
  expect(rows).toHaveLength(719)
  expect(new Set(rows.map(({ id }) => id)).size).toBe(719)
})

test('a row needs each of its checks, and of alternatives one', () => {
  const [both, either] = parseRequirements(
    '| AB-01 | Both. | unit: a; b; browser: c |\n| AB-02 | One | in three. | unit/browser: x |',
  )
  expect(both?.checks).toEqual([['unit'], ['browser']])
  expect(either).toMatchObject({ text: 'One | in three.', checks: [['unit', 'browser']] })
  if (both === undefined || either === undefined) throw new Error('a row is missing')
  const passed = { title: 'AB-01', kinds: ['unit'], passed: true } as const
  expect(unprovenKinds(both, [passed])).toEqual(['browser'])
  expect(unprovenKinds(either, [passed])).toEqual([])
  expect(unprovenKinds(either, [{ ...passed, passed: false }])).toEqual(['unit or browser'])
  expect(unprovenKinds(either, [])).toEqual(['unit or browser'])
})

test('a title names each of its rows once', () => {
  expect(rowIdsIn('AUTH-06, AUTH-07: an address like AUTH-06 is told')).toEqual(['AUTH-06', 'AUTH-07'])
  expect(rowIdsIn('SHA-256 and UTF-8 are not rows; AUTH-1 neither')).toEqual([])
})
