import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ConsumerJournal, JournalRange, SeenId } from './journal-port.ts'

/** A journal under test, in any store. `bucketIds` sets small buckets, so that a test fills many. */
export type JournalUnderTest = {
  /** Opens the journal, whose file of message IDs is complete. */
  open(options: {
    windowMs: number
    bucketMs: number
    bucketIds: number
    filterBytes?: number
  }): ConsumerJournal | Promise<ConsumerJournal>
  remove(): Promise<void>
}

const hash = (text: string): Uint8Array => createHash('sha256').update(text).digest().subarray(0, 16)
const seen = (text: string, offset: number, partition = 0, index = 0): SeenId => ({
  hash: hash(text),
  partition,
  offset,
  index,
})
const range = (from: number, to: number, token: string, partition = 0): JournalRange => ({ partition, from, to, token })
const options = { windowMs: 1000, bucketMs: 100, bucketIds: 50 }

/** The guarantees of every consumer journal. */
export const journalConformance = (name: string, make: () => Promise<JournalUnderTest>): void => {
  describe(`consumer journal: ${name}`, () => {
    let under: JournalUnderTest
    let journal: ConsumerJournal
    const reopen = async (): Promise<void> => {
      journal.close()
      journal = await under.open(options)
    }
    beforeEach(async () => {
      under = await make()
      journal = await under.open(options)
    })
    afterEach(async () => {
      journal.close()
      await under.remove()
    })

    test('a new journal is fresh and empty; after a range has begun it is not fresh when reopened', async () => {
      expect(journal.fresh).toBe(true)
      expect(journal.positions().size).toBe(0)
      expect(journal.openRanges()).toEqual([])
      expect(journal.firstSeen(hash('a'))).toBeUndefined()
      journal.remember([seen('a', 1)], 0)
      await reopen()
      expect(journal.fresh).toBe(true)
      await journal.begin([range(0, 1, 't')], [], 0)
      await reopen()
      expect(journal.fresh).toBe(false)
    })

    test('begun ranges stay open over a restart, in order and unchanged, until positions pass their end', async () => {
      await journal.begin([range(0, 10, 'x'), range(5, 7, 'x', 3)], [], 0)
      await journal.begin([range(10, 12, 'ÿ')], [], 0)
      await reopen()
      expect(journal.openRanges()).toEqual([range(0, 10, 'x'), range(5, 7, 'x', 3), range(10, 12, 'ÿ')])
      await journal.commit(new Map([[0, 10]]))
      expect(journal.openRanges()).toEqual([range(5, 7, 'x', 3), range(10, 12, 'ÿ')])
      await journal.commit(
        new Map([
          [0, 11],
          [3, 7],
        ]),
      )
      await reopen()
      expect(journal.openRanges()).toEqual([range(10, 12, 'ÿ')])
      expect([...journal.positions()]).toEqual([
        [0, 11],
        [3, 7],
      ])
    })

    test('a note is kept with the position that it was committed with, until the next one', async () => {
      await journal.commit(
        new Map([[0, 4]]),
        new Map([
          [0, 'at four'],
          [3, 'ÿ☃'],
        ]),
      )
      await journal.commit(new Map([[0, 9]]))
      await reopen()
      expect([...journal.notes()]).toEqual([
        [0, 'at four'],
        [3, 'ÿ☃'],
      ])
      await journal.commit(new Map([[0, 12]]), new Map([[0, '']]))
      expect(journal.notes().get(0)).toBe('')
    })

    test('positions and ends of ranges have the incarnation of the record before them, also after a restart', async () => {
      const saw = (offset: number, incarnation: string, partition = 0): void =>
        journal.saw([{ partition, offset, incarnation }])
      for (const [offset, incarnation] of [
        [4, 'a'],
        [9, 'a'],
        [10, 'b'],
      ] as const)
        saw(offset, incarnation)
      saw(7, 'z')
      await journal.begin([range(0, 10, 'x')], [], 0)
      await journal.begin([range(10, 11, 'y')], [], 0)
      expect(journal.openEnds()).toEqual([
        { partition: 0, offset: 10, incarnation: 'a' },
        { partition: 0, offset: 11, incarnation: 'b' },
      ])
      await journal.commit(new Map([[0, 10]]))
      expect(journal.places()).toEqual(new Map([[0, { offset: 10, incarnation: 'a' }]]))
      await reopen()
      expect(journal.places()).toEqual(new Map([[0, { offset: 10, incarnation: 'a' }]]))
      // No record was read since, so the incarnation before the position is unchanged.
      await journal.commit(new Map([[0, 10]]))
      expect(journal.places().get(0)?.incarnation).toBe('a')
      saw(10, 'b')
      await journal.commit(new Map([[0, 11]]))
      await reopen()
      expect(journal.places()).toEqual(new Map([[0, { offset: 11, incarnation: 'b' }]]))
      // No record before this offset was read.
      await journal.commit(new Map([[3, 7]]))
      await reopen()
      expect(journal.places().get(3)).toEqual({ offset: 7, incarnation: undefined })
    })

    test('after a reset the position is the new one, and open ranges after it are removed', async () => {
      journal.saw([{ partition: 0, offset: 499, incarnation: 'a' }])
      await journal.begin([range(490, 500, 'x'), range(5, 7, 'x', 3)], [], 0)
      await journal.commit(new Map([[0, 500]]))
      await journal.begin([range(500, 510, 'y')], [], 0)
      await journal.rewind(0, { offset: 300, incarnation: 'a' })
      for (const check of ['before', 'after']) {
        if (check === 'after') await reopen()
        expect(journal.places()).toEqual(new Map([[0, { offset: 300, incarnation: 'a' }]]))
        expect(journal.openRanges()).toEqual([range(5, 7, 'x', 3)])
      }
      journal.saw([{ partition: 0, offset: 300, incarnation: 'b' }])
      await journal.commit(new Map([[0, 301]]))
      expect(journal.places().get(0)).toEqual({ offset: 301, incarnation: 'b' })
    })

    test('an ID is found at its first position, through many buckets and after a restart', async () => {
      for (let i = 0; i < 400; i += 20) {
        const ids = Array.from({ length: 20 }, (_, n) => seen(`id${i + n}`, i + n, n % 3, n))
        await journal.begin([range(i, i + 20, `t${i}`)], ids, i)
      }
      journal.remember([seen('id5', 999)], 500)
      for (const check of ['before', 'after']) {
        if (check === 'after') await reopen()
        for (let i = 0; i < 400; i++)
          expect(journal.firstSeen(hash(`id${i}`))).toEqual({ partition: (i % 20) % 3, offset: i, index: i % 20 })
        expect(journal.firstSeen(hash('id400'))).toBeUndefined()
      }
    })

    test('journal writes take effect in the order of their calls, even if not awaited', async () => {
      const done = [
        journal.begin([range(0, 10, 'x')], [seen('a', 3)], 0),
        journal.begin([range(10, 20, 'y')], [], 0),
        journal.commit(new Map([[0, 10]])),
        journal.rewind(0, { offset: 5, incarnation: undefined }),
        journal.begin([range(5, 8, 'z')], [], 0),
      ]
      expect(journal.firstSeen(hash('a'))?.offset).toBe(3)
      for (const each of done) await each
      for (const check of ['before', 'after']) {
        if (check === 'after') await reopen()
        expect(journal.openRanges()).toEqual([range(5, 8, 'z')])
        expect([...journal.positions()]).toEqual([[0, 5]])
      }
    })

    test('offsets beyond 2^31 and many partitions are stored exactly', async () => {
      const far = 2 ** 45 + 3
      await journal.begin([range(far, far + 1, 't', 1023)], [seen('x', far, 1023, 2499)], 0)
      await journal.commit(new Map([[1023, far + 1]]))
      await reopen()
      expect(journal.firstSeen(hash('x'))).toEqual({ partition: 1023, offset: far, index: 2499 })
      expect(journal.positions().get(1023)).toBe(far + 1)
    })

    test('an ID is kept for the whole window and deleted one bucket later', async () => {
      journal.remember([seen('old', 1)], 1000)
      journal.remember([seen('younger', 2)], 1099)
      journal.remember([seen('new', 3)], 1500)
      await journal.expire(2099)
      expect(journal.firstSeen(hash('old'))).toBeDefined()
      expect(journal.firstSeen(hash('younger'))).toBeDefined()
      await journal.expire(2100)
      expect(journal.firstSeen(hash('old'))).toBeUndefined()
      expect(journal.firstSeen(hash('new'))).toBeDefined()
      await reopen()
      expect(journal.firstSeen(hash('younger'))).toBeUndefined()
      expect(journal.firstSeen(hash('new'))).toBeDefined()
    })

    test('results stay exact if memory has the filters of only some buckets', async () => {
      journal.close()
      journal = await under.open({ ...options, filterBytes: 1 })
      for (let i = 0; i < 300; i += 50)
        journal.remember(
          Array.from({ length: 50 }, (_, n) => seen(`id${i + n}`, i + n)),
          i,
        )
      for (let i = 0; i < 300; i++) expect(journal.firstSeen(hash(`id${i}`))?.offset).toBe(i)
      for (let i = 0; i < 300; i++) expect(journal.firstSeen(hash(`no${i}`))).toBeUndefined()
    })

    test('a range that is repeated with the same IDs keeps their first positions', async () => {
      await journal.begin([range(0, 2, 't')], [seen('a', 0), seen('b', 1)], 0)
      await journal.begin([], [seen('a', 0), seen('b', 1), seen('c', 2)], 500)
      expect(journal.firstSeen(hash('a'))?.offset).toBe(0)
      expect(journal.firstSeen(hash('c'))?.offset).toBe(2)
    })
  })
}
