import type { LogRecord } from '../port.ts'
import type { BatchCache } from './batch-cache.ts'
import type { Batch, BatchRecord } from './batches.ts'
import { codes } from './errors.ts'
import type { Lineage } from './lineage.ts'
import type { Partitions } from './partitions.ts'

/** Maximum bytes of unaddressed records that one read skips. */
const passedBytes = 8 * 1024 * 1024
/** Minimum bytes that a fetch asks for. Kafka returns a larger batch whole. */
export const minFetch = 256 * 1024
/** Maximum bytes that a fetch asks for. */
const maxFetch = 1024 * 1024

type Found = { records: (BatchRecord & { time: number; incarnation: string })[]; passed: boolean }

/** Copies records so that their bodies have their own memory, which the caller can free. */
export const ownedBy = (partition: number, { records }: Found): LogRecord[] => {
  const memory = new Uint8Array(records.reduce((sum, { body }) => sum + body.byteLength, 0))
  let at = 0
  return records.map(({ offset, incarnation, time, key, meta, body }) => {
    memory.set(body, at)
    at += body.byteLength
    return { partition, offset, incarnation, time, key, meta, body: memory.subarray(at - body.byteLength, at) }
  })
}

/** Reads records from batches, which it takes from the cache or from Kafka. */
export const createCollecting = (data: Partitions, cache: BatchCache, lineage: Lineage) => {
  /** The batch with an offset, or the next one after it; undefined at the end. */
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
    // The cache is checked again: the first batch is the next to be used, and a concurrent read may have decoded it.
    return found === undefined ? undefined : (cache.at(partition, Math.max(offset, found.base)) ?? found)
  }

  /** Takes records of batches from an offset on, until the budget is used up or the log ends. */
  const collect = async (partition: number, from: number, maxBytes: number, which?: 'addressed'): Promise<Found> => {
    const found: Found = { records: [], passed: false }
    let left = maxBytes
    let passed = 0
    for (let offset = from; ; ) {
      const batch = await batchFrom(partition, offset, left)
      if (batch === undefined) return found
      const { head } = batch
      if (head?.f === 1 && !lineage.isSettled(head.i)) {
        // The next records belong to an opening that is not recorded yet.
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
        // The last record of a skipped run is enough: it shows how far the run reaches.
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
