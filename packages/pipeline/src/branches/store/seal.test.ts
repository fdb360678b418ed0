import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { noMetrics, silentLogger } from '@tributary/kernel'
import { type ConsumerJournal, openJournal } from '@tributary/storage'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createInsertBuffer } from './buffer.ts'
import { createSealer } from './seal.ts'
import { microBatch } from './test-batches.ts'

let dir: string
let journal: ConsumerJournal
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tributary-seal-'))
  journal = openJournal({ file: join(dir, 'journal.sqlite') })
})
afterEach(async () => {
  journal.close()
  await rm(dir, { recursive: true, force: true })
})

const id = { hash: Buffer.alloc(16, 7), partition: 2, offset: 5, index: 0 }

/** With one micro-batch in its buffer, which came at 1000, and batches that are due at the age of 500. */
const world = (begin: ConsumerJournal['begin'] = journal.begin) => {
  const buffer = createInsertBuffer()
  buffer.add(microBatch(2, 5, ['a']), Promise.resolve(), 1000)
  const flushed: number[] = []
  const sealer = createSealer({
    buffer,
    size: { isDue: (_, ageMs) => ageMs >= 500 },
    journal: { begin },
    logger: silentLogger,
    metrics: noMetrics,
    settings: { flushAgeMs: 500, retryBaseMs: 30 },
    pendingIds: () => [id],
    idsFlushed: () => flushed.push(journal.openRanges().length),
  })
  return { buffer, sealer, flushed }
}

describe('sealing', () => {
  it('a batch has its ranges and ids in the journal, and only then are the ids flushed', () => {
    const { buffer, sealer, flushed } = world()
    const batch = sealer.seal(1000, true)
    expect(journal.openRanges()).toEqual(batch?.ranges)
    expect(batch?.ranges).toMatchObject([{ partition: 2, from: 5, to: 6, token: batch?.token }])
    expect(journal.firstSeen(id.hash)).toEqual({ partition: 2, offset: 5, index: 0 })
    expect([flushed, buffer.isEmpty()]).toEqual([[1], true])
  })

  it('a batch that is not due stays, until it is by its age or by force', () => {
    const { buffer, sealer } = world()
    expect([sealer.seal(1499, false), sealer.waitMs(1499), sealer.waitMs(1000)]).toEqual([undefined, 1, 500])
    expect([buffer.isEmpty(), journal.openRanges()]).toEqual([false, []])
    expect(sealer.seal(1500, false)?.rows).toHaveLength(1)
    buffer.add(microBatch(2, 6, ['b']), Promise.resolve(), 1500)
    expect(sealer.seal(1500, false)).toBeUndefined()
    expect(sealer.seal(1500, true)?.rows).toHaveLength(1)
  })

  it('nothing leaves the buffer while the journal cannot be written, and it is not tried without a pause', () => {
    let tries = 0
    const { buffer, sealer, flushed } = world((...range) => {
      if (++tries === 1) throw new Error('disk full')
      journal.begin(...range)
    })
    expect(sealer.seal(2000, false)).toBeUndefined()
    expect([buffer.rows, flushed, sealer.waitMs(2000)]).toEqual([1, [], 300])
    expect([sealer.seal(2299, true), tries]).toEqual([undefined, 1])
    buffer.add(microBatch(2, 6, ['b']), Promise.resolve(), 2299)
    expect(sealer.seal(2300, false)?.ranges).toMatchObject([{ from: 5, to: 7 }])
    expect(tries).toBe(2)
  })
})
