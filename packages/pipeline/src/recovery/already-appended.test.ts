import { expect, test } from 'vitest'
import { formatOvertaking } from '../overtaking/overtakings.ts'
import { alreadyAppended } from './already-appended.ts'

const partition = 3
const at = (offset: number, incarnation = '', of = partition) => ({ partition: of, offset, incarnation })

type Sequence = { partition: number; epoch: number; sequence: number; note: string }
const find = (behind: Sequence[], ahead: Sequence[] = []) => alreadyAppended({ behind, ahead })

test('all records below the last sequence of a partition are appended, and no later ones', () => {
  const before = find([{ partition, epoch: 1, sequence: 3, note: '' }])
  expect([1, 2, 3, 4].map((offset) => before(at(offset), 'w'))).toEqual([true, true, false, false])
  expect(before(at(0, '', (partition + 1) % 8), 'w')).toBe(false)
})

test('a sequence does not apply to lower offsets of a later incarnation of the log', () => {
  const before = find([{ partition, epoch: 1, sequence: 900, note: 'b' }])
  const has = (offset: number, incarnation: string) => before(at(offset, incarnation), 'w')
  expect([has(899, 'b'), has(950, 'a'), has(950, ''), has(900, 'b'), has(0, 'c')]).toEqual([
    true,
    true,
    true,
    false,
    false,
  ])
})

test('below the sequence of the reading ahead, everything is appended, except for overtaken workspaces', () => {
  const note = `a ${formatOvertaking({ from: 3, workspaces: new Map([['slow', 3]]), until: undefined })}`
  const before = find([{ partition, epoch: 1, sequence: 5, note: 'a' }], [{ partition, epoch: 1, sequence: 9, note }])
  const has = (workspaceId: string) => [2, 4, 5, 8, 9].map((offset) => before(at(offset, 'a'), workspaceId))
  expect(has('slow')).toEqual([true, true, false, false, false])
  expect(has('fast')).toEqual([true, true, true, true, false])
})

test('the sequence of the reading ahead does not apply to records before an overtaking', () => {
  const note = `a ${formatOvertaking({ from: 6, workspaces: new Map([['slow', 6]]), until: undefined })}`
  const before = find([{ partition, epoch: 1, sequence: 3, note: 'a' }], [{ partition, epoch: 1, sequence: 9, note }])
  const has = [2, 4, 6, 8].map((offset) => before(at(offset, 'a'), 'fast'))
  expect(has).toEqual([true, false, true, true])
})
