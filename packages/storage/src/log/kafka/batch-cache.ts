import type { Batch } from './batches.ts'

/**
 * A reader's cache of batches, with a limit in bytes: the least recently used are removed. An unread batch counts with
 * its size in Kafka.
 */
export type BatchCache = {
  add(partition: number, batch: Batch): void
  /** The batch that holds an offset. */
  at(partition: number, offset: number): Batch | undefined
}

/** Creates an empty cache. */
export const createBatchCache = (maxBytes: number): BatchCache => {
  /** Batches in the order of their last use, by partition and first offset. */
  const batches = new Map<string, { batch: Batch; size: number }>()
  /** First offsets of the batches of a partition, ascending. */
  const bases = new Map<number, number[]>()
  let bytes = 0
  /** The key of the batch that was returned last. */
  let used: string | undefined

  const sizeOf = (batch: Batch): number =>
    batch.isRead
      ? batch.records.reduce((sum, { body, meta }) => sum + body.byteLength + meta.length + 64, 64)
      : batch.bytes
  const drop = (key: string): void => {
    const known = batches.get(key)
    if (known === undefined) return
    batches.delete(key)
    bytes -= known.size
    const partition = Number(key.slice(0, key.indexOf(' ')))
    const list = bases.get(partition)
    list?.splice(list.indexOf(known.batch.base), 1)
  }

  /** Recalculates the size of the last returned batch. Its caller has read it since, so it uses more memory. */
  const weighAgain = (): void => {
    const known = used === undefined ? undefined : batches.get(used)
    if (known === undefined) return
    const size = sizeOf(known.batch)
    bytes += size - known.size
    known.size = size
    makeRoom(used)
  }
  /**
   * Makes room by removing batches, read ones before unread ones. Unread batches are small, and their reader needs them
   * next.
   */
  const makeRoom = (newest: string | undefined): void => {
    for (const isRead of [true, false])
      for (const [key, { batch }] of batches) {
        if (bytes <= maxBytes) return
        if (batch.isRead === isRead && key !== newest) drop(key)
      }
  }

  return {
    add(partition, batch) {
      weighAgain()
      const key = `${partition} ${batch.base}`
      drop(key)
      const size = sizeOf(batch)
      batches.set(key, { batch, size })
      bytes += size
      const list = bases.get(partition) ?? []
      const at = list.findLastIndex((base) => base < batch.base) + 1
      list.splice(at, 0, batch.base)
      bases.set(partition, list)
      makeRoom(key)
    },
    at(partition, offset) {
      weighAgain()
      const base = bases.get(partition)?.findLast((each) => each <= offset)
      if (base === undefined) return undefined
      const key = `${partition} ${base}`
      const known = batches.get(key)
      if (known === undefined || known.batch.next <= offset) return undefined
      batches.delete(key)
      batches.set(key, known)
      used = key
      return known.batch
    },
  }
}
