import { expect, test } from 'vitest'
import { newNameRule } from './new-name.ts'

const problemOf = (name: string): string | undefined =>
  newNameRule(['id', 'total']).safeParse({ name }).error?.issues[0]?.message

test('a new name is one that a warehouse accepts, and that the table does not have', () => {
  expect(problemOf('amount_2')).toBeUndefined()
  expect(problemOf('größe')).toBeUndefined()
  expect(problemOf('total')).toBe('The table already has this column')
  expect(problemOf('Amount')).toMatch(/^Use lower-case letters/)
  expect(problemOf('2nd')).toMatch(/^Use lower-case letters/)
})
