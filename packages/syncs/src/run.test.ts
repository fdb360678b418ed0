import { expect, test } from 'vitest'
import { doubtOf } from './run.ts'

const given = { readsAll: true, read: 100, confirmed: 100, changed: 0, removed: 0 }

test('a run asks for approval if it would change and remove a larger share of the confirmed rows than allowed', () => {
  expect(doubtOf({ ...given, changed: 15, removed: 5 }, { guard_percent: 20 })).toBeUndefined()
  expect(doubtOf({ ...given, changed: 15, removed: 6 }, { guard_percent: 20 })).toContain(
    'change 15 and remove 6 of 100',
  )
  expect(doubtOf({ ...given, removed: 1 }, { guard_percent: 0 })).toContain('more than 0%')
  expect(doubtOf({ ...given, changed: 100 }, { guard_percent: 100 })).toBeUndefined()
})

test('a run of a model without rows always asks for approval; a first run with rows never does', () => {
  for (const confirmed of [0, 100])
    expect(doubtOf({ ...given, read: 0, confirmed }, { guard_percent: 100 })).toBe('The model has no rows')
  expect(doubtOf({ ...given, confirmed: 0, changed: 100 }, { guard_percent: 0 })).toBeUndefined()
})
