import { expect, test } from 'vitest'
import { createBatchCache } from './batch-cache.ts'
import { type Batch, decodeBatches, encodeBatch } from './batches.ts'

const MiB = 1024 * 1024

/** Batches of one fetch: a megabyte each, but only some kilobytes in Kafka. */
const fetched = (count: number): Batch[] =>
  Array.from({ length: count }, (_, index) => {
    const record = { key: 'k', meta: '{}', body: Buffer.alloc(MiB, 'event '), addressed: true }
    const bytes = encodeBatch([record], {
      head: { i: 'a', c: 0 },
      time: 1,
      stamp: { producerId: 1n, epoch: 0, sequence: index },
    })
    bytes.writeBigInt64BE(BigInt(index), 0)
    const [batch] = decodeBatches(bytes)
    if (batch === undefined) throw new Error('A batch is not read')
    return batch
  })

test('batches of a fetch are kept until they are read, whatever their decoded size, so that none is fetched twice', () => {
  const cache = createBatchCache(8 * MiB)
  const batches = fetched(40)
  for (const batch of batches) cache.add(0, batch)
  for (const { base } of batches) {
    const batch = cache.at(0, base)
    expect(batch?.isRead).toBe(false)
    expect(batch?.records[0]?.body.byteLength).toBe(MiB)
  }
})

test('a read batch counts with its decoded size, and the least recently used batches are removed', () => {
  const cache = createBatchCache(8 * MiB)
  for (const batch of fetched(20)) cache.add(0, batch)
  for (let base = 0; base < 20; base++) expect(cache.at(0, base)?.records).toHaveLength(1)
  const kept = Array.from({ length: 20 }, (_, base) => cache.at(0, base)).filter((batch) => batch !== undefined)
  expect(kept.length).toBeGreaterThanOrEqual(7)
  expect(kept.length).toBeLessThanOrEqual(8)
  expect(kept.at(-1)?.base).toBe(19)
})
