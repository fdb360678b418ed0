import { expect, test } from 'vitest'
import { fieldsOfRows, mappingProblems, savedRows, suggestedIdentifier, suggestedRows } from './mapping-rows.ts'

const columns = [
  { name: 'id', type: 'bigint' },
  { name: 'email', type: 'text' },
  { name: 'plan', type: 'text' },
]
const suggested = suggestedRows({ columns })

test('each column is suggested for the field with its name, and the primary key as the identifier', () => {
  expect(fieldsOfRows(suggested)).toEqual([
    { column: 'id', target: 'id' },
    { column: 'email', target: 'email' },
    { column: 'plan', target: 'plan' },
  ])
  expect(suggestedIdentifier({ primary_key: ['id'] })).toBe('id')
  expect(suggestedIdentifier({ primary_key: ['id', 'email'] })).toBe('')
})

test('a saved mapping keeps its order, offers unused columns, and marks a missing column', () => {
  const rows = savedRows({ columns }, [
    { column: 'plan', target: 'tier' },
    { column: 'gone', target: 'x' },
  ])
  expect(rows.map(({ column, included }) => `${column} ${included}`)).toEqual([
    'plan true',
    'gone true',
    'id false',
    'email false',
  ])
  expect(mappingProblems(rows, 0)?.rows).toEqual(new Map([[1, 'The model no longer has gone']]))
})

test.each([
  ['nothing is wrong', suggested, 0, undefined],
  [
    'a field is empty',
    suggested.with(1, { column: 'email', type: 'text', target: ' ', included: true }),
    0,
    'Required',
  ],
  [
    'two columns go to one field',
    suggested.with(2, { column: 'plan', type: 'text', target: 'email ', included: true }),
    0,
    'email already goes to email',
  ],
  ['nothing is included', suggested.map((row) => ({ ...row, included: false })), 0, 'Include at least one column'],
  [
    'the identifier is left out',
    suggested.with(0, { column: 'id', type: 'bigint', target: 'id', included: false }),
    0,
    'Choose the identifier: an included column that tells rows apart',
  ],
] as const)('a mapping has an error when %s', (_when, rows, identifier, problem) => {
  const found = mappingProblems(rows, identifier)
  expect(found === undefined ? undefined : (found.all ?? [...found.rows.values()][0])).toBe(problem)
})

test('a column whose name has an ID is offered by its title, and not included until it is chosen', () => {
  const audience = { name: 'audiences.a1', type: 'boolean', title: 'In Buyers' }
  const rows = suggestedRows({ columns: [...columns, audience] })
  expect(rows.at(-1)).toMatchObject({ column: 'audiences.a1', title: 'In Buyers', included: false })
  expect(fieldsOfRows(rows)).toHaveLength(3)
  const saved = savedRows({ columns: [audience] }, [{ column: 'audiences.a1', target: 'buyer' }])
  expect(saved).toMatchObject([{ title: 'In Buyers', target: 'buyer', included: true }])
})
