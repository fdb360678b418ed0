import { createHash } from 'node:crypto'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { silentLogger } from '@tributary/kernel'
import { createTestDatabase, type TestDatabase } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createSharedLedger, LeaseLost } from '../../coordination/postgres/leases.ts'
import { type JournalOptions, openJournal } from '../file-journal/journal.ts'
import { journalConformance } from '../journal-conformance.ts'
import type { ConsumerJournal, SeenId } from '../journal-port.ts'
import { createFolder } from '../sqlite/testing.ts'
import { openPostgresJournal, type PostgresJournalOptions } from './journal.ts'

const fill = async (journal: ConsumerJournal): Promise<ConsumerJournal> => {
  if (journal.apart?.lacksIds()) await journal.apart.idsComplete()
  return journal
}

journalConformance('PostgreSQL', async () => {
  const store = await createTestDatabase()
  const folder = await createFolder()
  const epoch = await createSharedLedger(store.pool).acquireLease('main', 'me', 600_000)
  return {
    open: async (options) =>
      fill(
        await openPostgresJournal({
          url: store.url,
          consumer: 'pipeline',
          lease: { name: 'main', epoch: epoch ?? 0 },
          file: join(folder.path, 'sub', 'ids.db'),
          logger: silentLogger,
          ...options,
        }),
      ),
    async remove() {
      await store.close()
      await folder.remove()
    },
  }
})

const hash = (text: string): Uint8Array => createHash('sha256').update(text).digest().subarray(0, 16)
const seen = (text: string, offset: number, more: Partial<SeenId> = {}): SeenId => ({
  hash: hash(text),
  partition: 0,
  offset,
  index: 0,
  ...more,
})
const range = (from: number, to: number, token: string, partition = 0) => ({ partition, from, to, token })

describe('the journal in PostgreSQL', () => {
  let store: TestDatabase
  let folder: Awaited<ReturnType<typeof createFolder>>
  const journals: ConsumerJournal[] = []
  beforeEach(async () => {
    store = await createTestDatabase()
    folder = await createFolder()
  })
  afterEach(async () => {
    for (const journal of journals.splice(0)) journal.close()
    await store.close()
    await folder.remove()
  })
  const tenure = async (holder: string): Promise<number> => {
    await store.pool.query(`update coordination_leases set expire_time = clock_timestamp()`)
    return (await createSharedLedger(store.pool).acquireLease('main', holder, 600_000)) ?? 0
  }
  const fileOf = (name: string): string => join(folder.path, name, 'pipeline.db')
  const open = async (epoch: number, name = 'one', more: Partial<PostgresJournalOptions> = {}) => {
    const journal = await openPostgresJournal({
      url: store.url,
      consumer: 'pipeline',
      lease: { name: 'main', epoch },
      file: fileOf(name),
      logger: silentLogger,
      ...more,
    })
    journals.push(journal)
    return journal
  }

  test('an owner that was paused beyond its tenure can write nothing, and is notified once', async () => {
    const reported: Error[] = []
    const paused = await fill(await open(await tenure('one'), 'one', { onLost: (error) => reported.push(error) }))
    await paused.begin([range(0, 10, 'x')], [seen('a', 1)], 0)
    const next = await fill(await open(await tenure('two'), 'two'))
    expect(next.openRanges()).toEqual([range(0, 10, 'x')])
    await next.commit(new Map([[0, 10]]), new Map([[0, 'here']]))
    await expect(paused.begin([range(0, 10, 'late')], [seen('b', 2)], 0)).rejects.toThrow(LeaseLost)
    await expect(paused.commit(new Map([[0, 99]]), new Map([[0, 'there']]))).rejects.toThrow(LeaseLost)
    await expect(paused.rewind(0, { offset: 0, incarnation: undefined })).rejects.toThrow(LeaseLost)
    await expect(open(1)).rejects.toThrow(LeaseLost)
    expect(reported).toHaveLength(1)
    const after = await open(2, 'two')
    expect([after.openRanges(), [...after.positions()], [...after.notes()]]).toEqual([[], [[0, 10]], [[0, 'here']]])
  })

  test('a second opening of the journal in the same tenure ends the first one', async () => {
    const epoch = await tenure('one')
    const before = await fill(await open(epoch))
    await before.commit(new Map([[0, 5]]))
    const after = await open(epoch)
    await expect(before.commit(new Map([[0, 9]]))).rejects.toThrow(LeaseLost)
    await after.commit(new Map([[0, 7]]))
    expect((await open(epoch)).positions().get(0)).toBe(7)
  })

  test('a range that is begun again after an unknown outcome is stored once', async () => {
    const journal = await fill(await open(await tenure('one')))
    for (let tries = 0; tries < 2; tries++) await journal.begin([range(0, 10, 'x')], [seen('a', 1)], 0)
    expect(journal.openRanges()).toEqual([range(0, 10, 'x')])
    expect((await open(1)).openRanges()).toEqual([range(0, 10, 'x')])
  })

  test('an owner trusts the file of IDs that it continued, but not another, an older, or a cloned file', async () => {
    const first = await fill(await open(await tenure('one'), 'one'))
    await first.begin([range(0, 10, 'x')], [seen('a', 1)], 0)
    first.close()
    journals.splice(0)
    await cp(join(folder.path, 'one'), join(folder.path, 'old'), { recursive: true })
    const again = await open(await tenure('one'), 'one')
    expect([again.apart?.lacksIds(), again.firstSeen(hash('a'))?.offset]).toEqual([false, 1])
    await again.begin([range(10, 20, 'y')], [seen('b', 11)], 0)
    again.close()
    journals.splice(0)
    await cp(join(folder.path, 'one'), join(folder.path, 'copy'), { recursive: true })
    // Another process, with another folder, has processed records meanwhile.
    const old = await open(await tenure('two'), 'old')
    expect([old.apart?.lacksIds(), old.firstSeen(hash('a'))]).toEqual([true, undefined])
    old.remember([seen('a', 1), seen('b', 11)], 0)
    await old.apart?.idsComplete()
    expect(old.apart?.lacksIds()).toBe(false)
    await old.begin([range(20, 30, 'z')], [seen('c', 21)], 0)
    for (const name of ['one', 'copy', 'none'])
      expect((await open(await tenure('three'), name)).apart?.lacksIds(), name).toBe(true)
  })

  test('a file whose IDs were incomplete when its process ended is not trusted', async () => {
    const epoch = await tenure('one')
    const first = await open(epoch)
    expect(first.apart?.lacksIds()).toBe(true)
    first.remember([seen('a', 1)], 0)
    expect((await open(epoch)).apart?.lacksIds()).toBe(true)
  })

  test('an older clone of the file from the same opening is not trusted', async () => {
    const first = await fill(await open(await tenure('one'), 'one'))
    await first.begin([range(0, 10, 'x')], [seen('a', 1)], 0)
    await cp(join(folder.path, 'one'), join(folder.path, 'snapshot'), { recursive: true })
    await first.begin([range(10, 20, 'y')], [seen('b', 11)], 0)
    expect((await open(await tenure('two'), 'snapshot')).apart?.lacksIds()).toBe(true)
  })

  test('IDs that only the journal has are returned within the window, whatever happened to the file', async () => {
    const now = 100_000_000_000
    const first = await fill(await open(await tenure('one')))
    await first.begin([range(0, 9, 'x')], [seen('a', 1), seen('b', 2, { unstored: true, index: 7 })], now)
    const other = await open(await tenure('two'), 'two')
    expect(await other.apart?.unstoredIds()).toEqual([
      { hash: Buffer.from(hash('b')), partition: 0, offset: 2, index: 7, unstored: true },
    ])
    await other.expire(now + 24 * 3_600_000)
    expect(await other.apart?.unstoredIds()).toHaveLength(1)
    await other.expire(now + 24 * 3_600_000 + 1)
    expect(await other.apart?.unstoredIds()).toEqual([])
  })

  test('an older journal in the file is imported once, with its ranges, notes and IDs', async () => {
    const options: JournalOptions = { file: fileOf('one') }
    const before = openJournal(options)
    before.saw([{ partition: 3, offset: 4, incarnation: 'a' }])
    before.begin([range(5, 8, 'x', 3)], [seen('a', 6)], 0)
    before.commit(new Map([[3, 5]]), new Map([[3, 'here']]))
    before.close()
    const journal = await open(await tenure('one'))
    expect(journal.fresh).toBe(false)
    expect([...journal.places()]).toEqual([[3, { offset: 5, incarnation: 'a' }]])
    expect([journal.openRanges(), [...journal.notes()]]).toEqual([[range(5, 8, 'x', 3)], [[3, 'here']]])
    expect([journal.apart?.lacksIds(), journal.firstSeen(hash('a'))?.offset]).toEqual([false, 6])
    journal.close()
    journals.splice(0)
    await store.pool.query('delete from journals')
    expect((await open(1)).fresh).toBe(true)
  })
})
