import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { silentLogger } from '@tributary/kernel'
import { createTestDatabase, type TestDatabase } from '@tributary/test-kit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSharedLedger, LeaseLost } from '../coordination/postgres/leases.ts'
import { openJournal } from './file-journal/journal.ts'
import { journalFilePlaces, resetJournalFile } from './file-journal/reset-journal.ts'
import type { PlaceToReset } from './journal-port.ts'
import { nameOfGroup } from './partition-groups.ts'
import { openPostgresJournal } from './postgres/journal.ts'
import { ConsumerRuns, resetJournals } from './postgres/reset-journals.ts'
import { journalPlaces, settlePartitionGroups } from './postgres/settle-groups.ts'

const place = (partition: number, offset: number, more: Partial<PlaceToReset> = {}): PlaceToReset => ({
  partition,
  offset,
  incarnation: 'a',
  note: (before) => `note ${partition}${before}`,
  ...more,
})
/** A position that no store accepts. */
const impossible = { offset: Number.NaN }

let folder: string
let store: TestDatabase
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tributary-reset-'))
  store = await createTestDatabase()
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

test('positions of a journal in a file are reset with their notes, ranges after them are removed, and others stay', () => {
  const file = join(folder, 'journal', 'delivery.db')
  expect(journalFilePlaces(file)).toBeUndefined()
  const first = openJournal({ file })
  first.commit(new Map([0, 1, 2].map((partition) => [partition, 100])))
  first.begin([{ partition: 0, from: 100, to: 120, token: 't' }], [], 0)
  first.begin([{ partition: 1, from: 100, to: 120, token: 't' }], [], 0)
  // The journal can be read by others while it is open.
  expect(journalFilePlaces(file)).toEqual([0, 1, 2].map((partition) => ({ partition, offset: 100 })))
  first.close()
  resetJournalFile(file, [place(0, 40), place(2, 7)])
  const again = openJournal({ file })
  expect([...again.places()]).toEqual([
    [0, { offset: 40, incarnation: 'a' }],
    [1, { offset: 100, incarnation: undefined }],
    [2, { offset: 7, incarnation: 'a' }],
  ])
  expect([...again.notes()]).toEqual([
    [0, 'note 0'],
    [2, 'note 2'],
  ])
  expect(again.openRanges()).toEqual([{ partition: 1, from: 100, to: 120, token: 't' }])
  again.close()
})

test('a journal in a file is reset completely or not at all', () => {
  const file = join(folder, 'delivery.db')
  const first = openJournal({ file })
  first.commit(new Map([0, 1].map((partition) => [partition, 100])))
  first.close()
  expect(() => resetJournalFile(file, [place(0, 40), place(1, 40, impossible)])).toThrow()
  expect(journalFilePlaces(file)).toEqual([0, 1].map((partition) => ({ partition, offset: 100 })))
})

/** A process that owns a group, and its journal. */
const holder = async (name: string, lasts = 600_000) => {
  const ledger = createSharedLedger(store.pool)
  const epoch = (await ledger.acquireLease(name, 'me', lasts)) ?? 0
  const journal = await openPostgresJournal({
    url: store.url,
    consumer: name,
    lease: { name, epoch },
    file: join(folder, `${name.replaceAll(/\W/g, '-')}.db`),
    logger: silentLogger,
  })
  return { journal, release: () => ledger.releaseLease(name, 'me') }
}
const namesOf = (groups: number) =>
  Array.from({ length: groups }, (_, group) => nameOfGroup('delivery', { group, groups }))
const offsets = async (groups: number) =>
  (await journalPlaces(store, 'delivery', groups))
    .toSorted((a, b) => a.partition - b.partition)
    .map(({ offset }) => offset)

test.each([1, 2])(
  'with %i groups in PostgreSQL, positions are reset in the journal of their group, with their notes',
  async (groups) => {
    await settlePartitionGroups(store, { roles: ['delivery'], groups })
    for (const [group, name] of namesOf(groups).entries()) {
      const { journal, release } = await holder(name)
      const own = [0, 1, 2, 3].filter((partition) => partition % groups === group)
      await journal.commit(new Map(own.map((partition) => [partition, 100])))
      await journal.begin(
        own.map((partition) => ({ partition, from: 100, to: 120, token: `t ${group}` })),
        [],
        0,
      )
      journal.close()
      await release()
    }
    await resetJournals(store, 'delivery', [place(0, 40), place(3, 7)])
    expect(await offsets(groups)).toEqual([40, 100, 100, 7])
    const { journal } = await holder(namesOf(groups)[0] ?? '')
    expect(journal.places().get(0)).toEqual({ offset: 40, incarnation: 'a' })
    expect(journal.notes().get(0)).toBe('note 0')
    expect(journal.openRanges().map(({ partition }) => partition)).not.toContain(0)
    expect(journal.openRanges().map(({ partition }) => partition)).toContain(2)
    journal.close()
  },
)

test('while a process owns one of the groups, no group is reset', async () => {
  await settlePartitionGroups(store, { roles: ['delivery'], groups: 2 })
  const [first, second] = namesOf(2)
  const one = await holder(first ?? '')
  await one.journal.commit(new Map([[0, 100]]))
  await one.release()
  const two = await holder(second ?? '')
  await two.journal.commit(new Map([[1, 100]]))
  const set = () => resetJournals(store, 'delivery', [place(0, 40), place(1, 40)])
  await expect(set()).rejects.toThrow(ConsumerRuns)
  await expect(set()).rejects.toThrow(/^A process has delivery 2\/2\. Stop all processes with the role delivery first/)
  expect(await offsets(2)).toEqual([100, 100])
  await two.release()
  await set()
  expect(await offsets(2)).toEqual([40, 40])
  one.journal.close()
  two.journal.close()
})

test('after a reset, writes of a process that was paused beyond its lease have no effect', async () => {
  const { journal, release } = await holder('delivery')
  await journal.commit(new Map([[0, 100]]))
  await release()
  await resetJournals(store, 'delivery', [place(0, 40)])
  await expect(journal.commit(new Map([[0, 200]]))).rejects.toThrow(LeaseLost)
  expect(await offsets(1)).toEqual([40])
  journal.close()
})

test('journals in PostgreSQL are reset completely or not at all', async () => {
  const { journal, release } = await holder('delivery')
  await journal.commit(new Map([0, 1].map((partition) => [partition, 100])))
  journal.close()
  await release()
  await expect(resetJournals(store, 'delivery', [place(0, 40), place(1, 40, impossible)])).rejects.toThrow()
  expect(await offsets(1)).toEqual([100, 100])
  expect((await holder('delivery')).journal.notes().size).toBe(0)
})
