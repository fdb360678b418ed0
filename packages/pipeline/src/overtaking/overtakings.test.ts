import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noMetrics, silentLogger } from '@tributary/kernel'
import { openJournal } from '@tributary/storage'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createOvertakings } from './overtakings.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tributary-overtakings-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const open = () => {
  const journal = openJournal({ file: join(dir, 'journal.sqlite') })
  const begun: [number, number][] = []
  const overtakings = createOvertakings({
    journal,
    partitions: 8,
    retryWrite: async (_, task) => await task(),
    logger: silentLogger,
    metrics: noMetrics,
    onBegin: (lane, at) => begun.push([lane, at]),
  })
  overtakings.load()
  return { journal, overtakings, begun }
}

it('overtaken workspaces are still known after a restart, until both readings have met and the overtaking is removed', async () => {
  const first = open()
  expect(await first.overtakings.overtake(3, { at: 10, incarnation: 'a' }, ['x'])).toEqual(['x'])
  expect(await first.overtakings.overtake(3, { at: 20, incarnation: 'a' }, ['x', 'y'])).toEqual(['y'])
  expect(first.begun).toEqual([[11, 10]])
  first.journal.close()
  const second = open()
  const workspaces = new Map([
    ['x', 10],
    ['y', 20],
  ])
  expect(second.overtakings.of(3)).toEqual({ from: 10, workspaces, until: undefined })
  await second.overtakings.meet(3, 30)
  expect(await second.overtakings.overtake(3, { at: 40, incarnation: 'a' }, ['z'])).toEqual([])
  second.journal.close()
  const third = open()
  expect(third.overtakings.of(3)).toEqual({ from: 10, workspaces, until: 30 })
  await third.overtakings.forget(3)
  third.journal.close()
  const fourth = open()
  expect(fourth.overtakings.partitions()).toEqual([])
  fourth.journal.close()
})

it('the place of a new reading ahead has the incarnation of the current record, not that of an earlier overtaking', async () => {
  const { journal, overtakings } = open()
  journal.saw([{ partition: 11, offset: 4, incarnation: 'a' }])
  await overtakings.overtake(3, { at: 10, incarnation: 'b' }, ['x'])
  expect(journal.places().get(11)).toEqual({ offset: 10, incarnation: 'b' })
  journal.close()
})

it('a partition has at most eight overtaken workspaces at a time', async () => {
  const { journal, overtakings } = open()
  const many = Array.from({ length: 9 }, (_, n) => `w-${n}`)
  expect(await overtakings.overtake(3, { at: 10, incarnation: 'a' }, many)).toEqual(many.slice(0, 8))
  expect(await overtakings.overtake(3, { at: 20, incarnation: 'a' }, many.slice(8))).toEqual([])
  journal.close()
})
