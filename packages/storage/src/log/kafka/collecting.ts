import type { LogRecord } from '../port.ts'
import type { BatchCache } from './batch-cache.ts'
import type { Batch, BatchRecord } from './batches.ts'
import { codes } from './errors.ts'
import type { Lineage } from './lineage.ts'
import type { Partitions } from './partitions.ts'

/** Largest number of bytes of unaddressed records that one answer skips. */
const passedBytes = 8 * 1024 * 1024
/** Bytes of a fetch, at least and at most: Kafka returns a larger batch whole. */
export const minFetch = 256 * 1024
const maxFetch = 1024 * 1024

type Found = { records: (BatchRecord & { time: number; incarnation: string })[]; passed: boolean }

/** Their bodies in memory of their own: the caller may give it back. */
export const ownedBy = (partition: number, { records }: Found): LogRecord[] => {
  const memory = new Uint8Array(records.reduce((sum, { body }) => sum + body.byteLength, 0))
  let at = 0
  return records.map(({ offset, incarnation, time, key, meta, body }) => {
    memory.set(body, at)
    at += body.byteLength
    return { partition, offset, incarnation, time, key, meta, body: memory.subarray(at - body.byteLength, at) }
  })
}

/** Reads records out of batches, which it takes from the cache or from Kafka. */
export const createCollecting = (data: Partitions, cache: BatchCache, lineage: Lineage) => {
  /** The batch that holds an offset, else the next one behind it; undefined at the end. */
  const batchFrom = async (partition: number, offset: number, maxBytes: number): Promise<Batch | undefined> => {
    const known = cache.at(partition, offset)
    if (known !== undefined) return known
    const size = Math.min(Math.max(maxBytes, minFetch), maxFetch)
    const fetched = (await data.fetch(new Map([[partition, offset]]), size)).get(partition)
    if (fetched === undefined) return undefined
    if (fetched.code === codes.offsetOutOfRange) {
      const start = (await data.offsets('first'))[partition] ?? 0
      return start > offset ? await batchFrom(partition, start, maxBytes) : undefined
    }
    for (const batch of fetched.batches) cache.add(partition, batch)
    const found = fetched.batches.find(({ next }) => next > offset)
    // The first is used first, and what is read by then counts.
    return found === undefined ? undefined : (cache.at(partition, Math.max(offset, found.base)) ?? found)
  }

  /** Takes records of batches from an offset on, until the budget is spent or the log ends. */
  const collect = async (partition: number, from: number, maxBytes: number, which?: 'addressed'): Promise<Found> => {
    const found: Found = { records: [], passed: false }
    let left = maxBytes
    let passed = 0
    for (let offset = from; ; ) {
      const batch = await batchFrom(partition, offset, left)
      if (batch === undefined) return found
      const { head } = batch
      if (head?.f === 1 && !lineage.isSettled(head.i)) {
        // The records behind it belong to an opening that is not recorded yet.
        if (found.records.length > 0) return found
        await lineage.settle(head.i)
      }
      const incarnation = await lineage.incarnationOf(partition, batch)
      for (const record of head === undefined || head.f === 1 ? [] : batch.records) {
        if (record.offset < offset) continue
        const isPassed = which === 'addressed' && !record.addressed
        const size = isPassed ? 0 : record.body.byteLength
        if (found.records.length > 0 && size > left) return found
        left -= size
        // The last record of a skipped run says how far it goes.
        if (isPassed && found.passed) found.records.pop()
        found.passed = isPassed
        const { time } = batch
        const kept = isPassed ? { ...record, meta: '', body: record.body.subarray(0, 0) } : record
        found.records.push({ ...kept, time, incarnation })
      }
      offset = batch.next
      passed += batch.bytes
      if (left <= 0 || (found.records.length > 0 && passed > passedBytes)) return found
    }
  }

  return { batchFrom, collect }
}
