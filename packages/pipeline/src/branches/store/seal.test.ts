import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ConsumerJournal, type FileJournal, openJournal } from '@tributary/storage'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createInsertBuffer, createSealer } from '../store.ts'
import type { Batch } from './insert.ts'
import { microBatch } from './test-batches.ts'

let dir: string
let journal: FileJournal
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tributary-seal-'))
  journal = openJournal({ file: join(dir, 'journal.sqlite') })
})
afterEach(async () => {
  journal.close()
  await rm(dir, { recursive: true, force: true })
})

const id = { hash: Buffer.alloc(16, 7), partition: 2, offset: 5, index: 0 }

/**
 * Creates a sealer whose buffer has one micro-batch, added at the time 1000 ms. A batch is due at the age of 500 ms.
 */
const world = (begin: ConsumerJournal['begin'] = journal.begin) => {
  const buffer = createInsertBuffer()
  buffer.add(microBatch(2, 5, ['a']), Promise.resolve(), 1000)
  const flushed: number[] = []
  const sealed: Batch[] = []
  const sealer = createSealer({
    buffer,
    size: { isDue: (_, ageMs) => ageMs >= 500 },
    journal: { begin },
    retryWrite: async (_, task) => {
      for (;;)
        try {
          return await task()
        } catch {}
    },
    settings: { flushAgeMs: 500 },
    takeIds: () => [id],
    idsFlushed: () => flushed.push(journal.openRanges().length),
  })
  return {
    buffer,
    sealer,
    flushed,
    sealed,
    seal: (now: number) => sealer.seal(now, (batch) => void sealed.push(batch)),
  }
}

describe('sealing', () => {
  it("the journal has a batch's ranges and IDs before the IDs are flushed and the batch is inserted", async () => {
    const { buffer, seal, sealed, flushed } = world()
    await seal(1000)
    const [batch] = sealed
    expect(journal.openRanges()).toEqual(batch?.ranges)
    expect(batch?.ranges).toMatchObject([{ partition: 2, from: 5, to: 6, token: batch?.token }])
    expect(journal.firstSeen(id.hash)).toEqual({ partition: 2, offset: 5, index: 0 })
    expect([flushed, buffer.isEmpty()]).toEqual([[1], true])
  })

  it('a batch is due by its age', () => {
    const { sealer } = world()
    expect([sealer.isDue(1499), sealer.waitMs(1499), sealer.waitMs(1000), sealer.isDue(1500)]).toEqual([
      false,
      1,
      500,
      true,
    ])
  })

  it('while the journal cannot be written, sealing retries the same ranges, and new rows go into the next batch', async () => {
    const tried: unknown[] = []
    const { buffer, sealer, seal, sealed, flushed } = world((ranges, ids, now) => {
      tried.push([ranges, ids])
      if (tried.length < 3) throw new Error('away')
      return journal.begin(ranges, ids, now)
    })
    const done = seal(2000)
    expect([buffer.isEmpty(), sealer.batch?.ranges, flushed, sealed]).toEqual([
      true,
      (tried[0] as [unknown])[0],
      [],
      [],
    ])
    buffer.add(microBatch(2, 6, ['b']), Promise.resolve(), 2000)
    await done
    expect(tried).toEqual([tried[0], tried[0], tried[0]])
    expect([sealer.batch, flushed, sealed.map(({ ranges }) => ranges), buffer.rows]).toEqual([
      undefined,
      [1],
      [journal.openRanges()],
      1,
    ])
    await seal(2000)
    expect(sealed[1]?.ranges).toMatchObject([{ from: 6, to: 7 }])
  })
})
