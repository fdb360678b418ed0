import { expect, test } from 'vitest'
import { aModel } from '../../testing/syncs.ts'
import { cursorColumns, cursorInput, runCursorText, suggestedCursor } from './cursor.ts'

const columns = [
  { name: 'id', type: 'bigint' },
  { name: 'email', type: 'text' },
  { name: 'created_at', type: 'timestamp with time zone' },
  { name: 'updated_at', type: 'DateTime64(3)' },
]

test('only numbers, dates, and times are offered as a cursor, and the time of the last change is suggested', () => {
  expect(cursorColumns({ columns }).map(({ name }) => name)).toEqual(['id', 'created_at', 'updated_at'])
  expect(suggestedCursor({ columns })).toEqual({ column: 'updated_at', overlap: '60' })
  expect(suggestedCursor({ columns: columns.slice(0, 3) })?.column).toBe('created_at')
  expect(suggestedCursor(aModel())).toEqual({ column: 'id', overlap: '1000' })
  expect(suggestedCursor({ columns: columns.slice(1, 2) })).toBeUndefined()
})

test.each(['', ' ', '-1', '1.5', '1e3', '99999999999'])('an overlap of %j is invalid', (overlap) => {
  expect(cursorInput({ column: 'id', overlap })).toBeUndefined()
})

test('an overlap is a whole number from 0 on', () => {
  expect(cursorInput({ column: 'id', overlap: ' 0 ' })).toEqual({ column: 'id', overlap: 0 })
})

test.each([
  [
    { from: null, to: '7', moved: true },
    true,
    'All rows were read. The highest value of id was 7. The next run continues from there.',
  ],
  [
    { from: null, to: '7', moved: false },
    true,
    'All rows were read. The highest value of id was 7. The next run reads all rows again.',
  ],
  [
    { from: '5', to: '7', moved: false },
    true,
    'Rows were read from id 5 to 7. The next run reads the same rows again.',
  ],
  [{ from: '5', to: '7', moved: false }, false, 'Rows were read from id 5 to 7.'],
  [{ from: '5', to: null, moved: false }, true, 'Rows were read from id 5. None has a value.'],
  [{ from: null, to: null, moved: false }, true, 'All rows were read. None has a value in id.'],
])('after a run that read %j, the text shows where the next run starts', (cursor, ended, text) => {
  expect(runCursorText({ column: 'id', ...cursor }, ended)).toBe(text)
})

test('times of a cursor are shown in UTC, as the database compared them', () => {
  const text = runCursorText({ column: 'seen', from: '2026-01-02T03:04:05.678Z', to: null, moved: false }, false)
  expect(text).toContain('2026-01-02 03:04:05.678 UTC')
})
