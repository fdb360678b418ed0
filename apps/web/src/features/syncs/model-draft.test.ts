import { expect, test } from 'vitest'
import { ApiError } from '../../lib/api/errors.ts'
import { aModel } from '../../testing/syncs.ts'
import { keyWords } from './key-check.tsx'
import {
  draftOf,
  failureWords,
  inputOf,
  isOfPeople,
  type ModelDraft,
  newDraft,
  problemsOf,
  queryOf,
  refusalOf,
} from './model-draft.ts'

const table = { schema: 'shop', name: 'customers' }
const complete: ModelDraft = { title: 'Customers', kind: 'table', table, sql: '', key: ['id'] }

test('a draft is complete with a title, a query and a key, and its errors are reported by field', () => {
  expect(inputOf(complete)).toEqual({
    title: 'Customers',
    query: { schema: 'shop', table: 'customers' },
    primary_key: ['id'],
  })
  expect(problemsOf(newDraft(undefined))).toEqual({
    title: { message: 'Required' },
    query: { message: 'Choose a table' },
    key: { message: 'Choose at least one column' },
  })
  expect(inputOf(newDraft(table))).toBeUndefined()
})

test('an empty query is rejected (MAP-10a)', () => {
  const empty: ModelDraft = { ...complete, kind: 'sql', sql: ' \n' }
  expect(queryOf(empty)).toBeUndefined()
  expect(problemsOf(empty)).toEqual({ query: { message: 'Required' } })
  expect(inputOf(empty)).toBeUndefined()
})

test('a saved model has the draft from which it was created', () => {
  const model = {
    name: 'workspaces/w/models/m',
    title: 'Customers',
    data_source: { name: 'workspaces/w/dataSources/d', title: 'Shop' },
    audience: null,
    primary_key: ['id'],
    columns: [],
    create_time: '',
    update_time: '',
  }
  expect(draftOf({ ...model, query: { schema: 'shop', table: 'customers' } })).toEqual(complete)
  expect(queryOf(draftOf({ ...model, query: { sql: 'select 1' } }))).toEqual({ sql: 'select 1' })
})

test("a model of an audience is shown by the audience's title and requested by its ID", () => {
  const audience = { name: 'workspaces/w/audiences/a', title: 'Loyal', state: 'live' as const, as_of: null }
  const model = { ...aModel(), query: { schema: 'audiences', table: 'a' }, audience }
  expect(draftOf(model).table).toEqual({ schema: 'audiences', name: 'a', title: 'Loyal' })
  expect(queryOf(draftOf(model))).toEqual({ schema: 'audiences', table: 'a' })
  expect([isOfPeople(model), isOfPeople(aModel())]).toEqual([true, false])
  expect(newDraft({ schema: 'audiences', name: 'a', title: 'Loyal' }).title).toBe('Loyal')
})

test("an error of the server is shown at its field, with the database's message", () => {
  const refused = new ApiError(
    400,
    { message: 'no', metadata: { query: 'Please verify that the SQL Query is valid.', detail: 'Line 1: no' } },
    '',
  )
  expect(refusalOf(refused)).toEqual({
    query: { message: 'Please verify that the SQL Query is valid.', detail: 'Line 1: no' },
  })
  expect(failureWords(refused)).toBe('no Line 1: no')
  expect(refusalOf(new ApiError(412, { message: 'away', metadata: { detail: 'refused' } }, ''))).toEqual({})
})

test.each([
  [{ rows: 0, null_rows: 0, duplicate_keys: 0, duplicate_rows: 0 }, 'The query has no rows.'],
  [{ rows: 1, null_rows: 0, duplicate_keys: 0, duplicate_rows: 0 }, '1 row, with a key of its own.'],
  [{ rows: 1200, null_rows: 0, duplicate_keys: 0, duplicate_rows: 0 }, '1,200 rows, each with a key of its own.'],
  [
    { rows: 9, null_rows: 1, duplicate_keys: 2, duplicate_rows: 5 },
    '1 row has a null in the key. 5 rows share 2 keys. Choose other columns, or leave these rows out with a query.',
  ],
])('the result of a key check is a text: %j', (counts, words) => {
  expect(keyWords(counts)).toBe(words)
})
