import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventIdsOf } from '@tributary/kernel'
import { partitionOf } from '@tributary/storage'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { formatOvertaking } from '../overtaking/overtakings.ts'
import { type Files, openFiles } from '../pipelines/test-world.ts'
import { findAlreadyAppended } from './already-appended.ts'

let dir: string
let files: Files
const partition = partitionOf('w', 8)
const at = (offset: number, incarnation = '', of = partition) => ({ partition: of, offset, incarnation })
const idOf = (offset: number, index: number): string => eventIdsOf(at(offset))(index)
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tributary-appended-'))
  files = await openFiles(dir)
  for (let n = 0; n < 5; n++) await files.requests.append({ key: 'w', meta: '{}', body: Buffer.from('{}') })
  files.journal.commit(new Map([[partition, 1]]))
})
afterEach(async () => {
  await files.close()
  await rm(dir, { recursive: true, force: true })
})

type Sequence = { partition: number; epoch: number; sequence: number; note: string }
const find = (behind: Sequence[], ahead: Sequence[] = []) =>
  findAlreadyAppended({
    requests: files.reader,
    deliveries: files.deliveriesReader,
    journal: { fresh: false, positions: () => files.journal.positions() },
    sequences: { behind, ahead },
  })

test('all records below the last sequence of a partition are appended, and no later ones', async () => {
  const before = await find([{ partition, epoch: 1, sequence: 3, note: '' }])
  expect([1, 2, 3, 4].map((offset) => before.has(at(offset), idOf(offset, 0), 'w'))).toEqual([true, true, false, false])
  expect(before.has(at(0, '', (partition + 1) % 8), 'x', 'w')).toBe(false)
  expect(before.isStamped(partition, 2)).toBe(true)
})

test('a sequence does not apply to lower offsets of a later incarnation of the log', async () => {
  const before = await find([{ partition, epoch: 1, sequence: 900, note: 'b' }])
  const has = (offset: number, incarnation: string) => before.has(at(offset, incarnation), 'x', 'w')
  expect([has(899, 'b'), has(950, 'a'), has(950, ''), has(900, 'b'), has(0, 'c')]).toEqual([
    true,
    true,
    true,
    false,
    false,
  ])
})

test('without a sequence, events are found by their IDs, and no group before the last of these events is stamped', async () => {
  const events = [idOf(1, 1), idOf(3, 0)].map((eventId) => `{"eventId":"${eventId}"}`)
  await files.deliveries.append({
    key: 'w',
    meta: JSON.stringify({ w: 'w', s: 's', d: ['d'], n: 2 }),
    body: Buffer.from(`[${events.join(',\n')}]\n`),
  })
  const before = await find([])
  expect(before.found).toBe(2)
  expect([idOf(1, 0), idOf(1, 1), idOf(2, 0), idOf(3, 0)].map((id, n) => before.has(at(n), id, 'w'))).toEqual([
    false,
    true,
    false,
    true,
  ])
  expect([3, 4].map((to) => before.isStamped(partition, to))).toEqual([false, true])
})

test('below the sequence of the reading ahead, everything is appended, except for overtaken workspaces', async () => {
  const note = `a ${formatOvertaking({ from: 3, workspaces: new Map([['slow', 3]]), until: undefined })}`
  const before = await find(
    [{ partition, epoch: 1, sequence: 5, note: 'a' }],
    [{ partition, epoch: 1, sequence: 9, note }],
  )
  const has = (workspaceId: string) =>
    [2, 4, 5, 8, 9].map((offset) => before.has(at(offset, 'a'), idOf(offset, 0), workspaceId))
  expect(has('slow')).toEqual([true, true, false, false, false])
  expect(has('fast')).toEqual([true, true, true, true, false])
})

test('the sequence of the reading ahead does not apply to records before an overtaking', async () => {
  const note = `a ${formatOvertaking({ from: 6, workspaces: new Map([['slow', 6]]), until: undefined })}`
  const before = await find(
    [{ partition, epoch: 1, sequence: 3, note: 'a' }],
    [{ partition, epoch: 1, sequence: 9, note }],
  )
  const has = [2, 4, 6, 8].map((offset) => before.has(at(offset, 'a'), idOf(offset, 0), 'fast'))
  expect(has).toEqual([true, false, true, true])
})
