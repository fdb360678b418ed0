import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { missingOf, parseRequirements, type Requirement, rowIdsIn, titleProblems } from './requirements.ts'

const rows = parseRequirements(readFileSync(new URL('../docs/requirements.md', import.meta.url), 'utf8'))

/** Returns the only row of a table that consists of this line. */
const rowOf = (line: string): Requirement => {
  const [only] = parseRequirements(line)
  if (only === undefined) throw new Error(`not a row: ${line}`)
  return only
}

test('the document has 719 requirement rows, each once and each with a kind of check', () => {
  expect(rows).toHaveLength(719)
  expect(new Set(rows.map(({ id }) => id)).size).toBe(719)
})

test('tests claim only existing rows with their clauses, and no row that waits', () => {
  const areas = [...new Set(rows.map(({ area }) => area))].join('|')
  const files = globSync(['{apps,packages,connectors,scripts}/**/*.test.{ts,tsx}', 'e2e/**/*.{test,spec}.ts'], {
    cwd: new URL('..', import.meta.url).pathname,
    exclude: ['**/node_modules/**', 'scripts/requirements.test.ts'],
  })
  const ids = files.flatMap((file) => {
    const text = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')
    return text.match(new RegExp(`\\b(?:${areas})-\\d\\d[a-z]?\\b`, 'g')) ?? []
  })
  expect(ids.length).toBeGreaterThan(600)
  expect(titleProblems(rows, ids)).toEqual([])
})

test('a withdrawn row has a reason, is never proven, and may not be claimed by a test', () => {
  const row = rowOf('| AB-01 | It. | withdrawn (no page leads there): unit: a |')
  expect(row.withdrawn).toBe('no page leads there')
  expect(missingOf(row, [{ title: 'AB-01', kinds: ['unit'], passed: true }])).toEqual([
    'withdrawn: no page leads there',
  ])
  expect(titleProblems([row], ['AB-01: it'])).toEqual(['AB-01 is withdrawn: no page leads there: AB-01: it'])
})

test('every changed or withdrawn row is listed with its reason under Amendments', () => {
  const document = readFileSync(new URL('../docs/requirements.md', import.meta.url), 'utf8')
  const [, amendments = ''] = /\n## Amendments[^\n]*\n([^]*?)\n## /.exec(document) ?? []
  for (const id of [
    'NAV-22',
    'REG-02',
    'FORM-30',
    'BIL-36',
    ...rows.flatMap((row) => (row.withdrawn === undefined ? [] : [row.id])),
  ])
    expect(amendments).toContain(id)
})

test('a row needs each of its checks, and one of several alternatives', () => {
  const both = rowOf('| AB-01 | Both. | unit: a; b; browser: c |')
  const either = rowOf('| AB-02 | One | in three. | unit/browser: x |')
  expect(either.text).toBe('One | in three.')
  expect(missingOf(both, [{ title: 'AB-01', kinds: ['unit'], passed: true }])).toEqual(['browser'])
  expect(missingOf(either, [{ title: 'AB-02', kinds: ['browser'], passed: true }])).toEqual([])
  expect(missingOf(either, [])).toEqual(['unit or browser'])
})

test('a failing test makes a row unproven, even if other tests prove it', () => {
  const row = rowOf('| AB-01 | It. | unit: a |')
  const passed = { title: 'AB-01: one', kinds: ['unit'], passed: true } as const
  expect(missingOf(row, [passed, { title: 'AB-01: two', kinds: ['unit'], passed: false }])).toEqual([
    'failed: AB-01: two',
  ])
})

test('a row with clauses is proven when each clause is proven, by its letter and with the kind of test that it requires', () => {
  const row = rowOf('| AB-01 | Both. | browser: (a) it shows; (b) it goes; unit: (c) it counts |')
  const proof = (title: string, kind: 'unit' | 'browser') => ({ title, kinds: [kind], passed: true }) as const
  const shown = proof('AB-01a, AB-01b: it shows and goes', 'browser')
  expect(missingOf(row, [shown])).toEqual(['(c) unit'])
  expect(missingOf(row, [shown, proof('AB-01c: counted on a page', 'browser')])).toEqual(['(c) unit'])
  expect(missingOf(row, [shown, proof('AB-01c: counted', 'unit')])).toEqual([])
  expect(missingOf(row, [proof('AB-01: all of it', 'browser')])).toEqual(['(a) browser', '(b) browser', '(c) unit'])
})

test.each([
  '| AB-01 | It. | unit: (a) one; (c) three |',
  '| AB-01 | It. | unit: one; browser: (a) two |',
  '| AB-01 | It. | somehow |',
])('a row is rejected if its clauses are out of order, have letters only in part, or lack a kind (case %#)', (line) => {
  expect(() => parseRequirements(line)).toThrow(/^AB-01 /)
})

test('a row that only the component gallery proves is not proven in a browser', () => {
  const row = rowOf('| AB-01 | It. | browser: it shows |')
  const gallery = { title: 'AB-01: it shows', kinds: ['gallery'], passed: true } as const
  expect(missingOf(row, [gallery])).toEqual(['browser (only in the gallery)'])
  expect(missingOf(row, [gallery, { ...gallery, kinds: ['browser'] }])).toEqual([])
})

test('a row that waits is not proven, whatever passes, and may not be claimed by a test', () => {
  const row = rowOf('| AB-01 | It. | waits for syncs: unit: it shows |')
  const passed = { title: 'AB-01: it shows', kinds: ['unit'], passed: true } as const
  expect(row).toMatchObject({ waitsFor: 'syncs', checks: [{ clause: '', kinds: ['unit'] }] })
  expect(missingOf(row, [passed])).toEqual(['waits for syncs'])
  expect(titleProblems([row], [passed.title])).toEqual(['AB-01 waits for syncs: AB-01: it shows'])
})

test('a title is wrong if it names no existing row, an unknown clause, or more than five rows', () => {
  const clauses = rowOf('| AB-01 | It. | unit: (a) one; (b) two |')
  const plain = rowOf('| AB-02 | It. | unit: one |')
  expect(titleProblems([clauses, plain], ['AB-01a, AB-01b, AB-02: all'])).toEqual([])
  expect(titleProblems([plain], ['AB-02, OPEN-01, AMB-02: x'])).toEqual([])
  expect(titleProblems([clauses, plain], ['AB-01: x', 'AB-01c: x', 'AB-02a: x', 'AB-03: x'])).toEqual([
    'AB-01 has clauses: name those that are proven: AB-01: x',
    'AB-01 has no clause c: AB-01c: x',
    'AB-02 has no clause a: AB-02a: x',
    'there is no row AB-03: AB-03: x',
  ])
  const six = ['AB-11', 'AB-12', 'AB-13', 'AB-14', 'AB-15', 'AB-16']
  const known = six.map((id) => ({ ...plain, id }))
  expect(titleProblems(known, [six.join(', ')])).toEqual([`more than five rows in one test: ${six.join(', ')}`])
})

test('a title counts each of its rows once', () => {
  expect(rowIdsIn('AUTH-06, AUTH-07: an address like AUTH-06 is told')).toEqual(['AUTH-06', 'AUTH-07'])
  expect(rowIdsIn('AB-01a, AB-01b: both')).toEqual(['AB-01'])
  expect(rowIdsIn('SHA-256 and UTF-8 are not rows; AUTH-1 neither')).toEqual([])
})
