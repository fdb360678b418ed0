import type { Batch } from './batches.ts'

/** Batches of a reader that may be asked for again, within a bound of bytes: those used last stay. */
export type BatchCache = {
  add(partition: number, batch: Batch): void
  /** The batch that holds an offset. */
  at(partition: number, offset: number): Batch | undefined
}

/** Nothing is in it. */
export const createBatchCache = (maxBytes: number): BatchCache => {
  /** In the order of their last use, by partition and first offset. */
  const batches = new Map<string, { batch: Batch; size: number }>()
  /** First offsets of the batches of a partition, ascending. */
  const bases = new Map<number, number[]>()
  let bytes = 0

  const sizeOf = ({ records }: Batch): number =>
    records.reduce((sum, { body, meta }) => sum + body.byteLength + meta.length + 64, 64)
  const drop = (key: string): void => {
    const known = batches.get(key)
    if (known === undefined) return
    batches.delete(key)
    bytes -= known.size
    const partition = Number(key.slice(0, key.indexOf(' ')))
    const list = bases.get(partition)
    list?.splice(list.indexOf(known.batch.base), 1)
  }

  return {
    add(partition, batch) {
      const key = `${partition} ${batch.base}`
      drop(key)
      const size = sizeOf(batch)
      batches.set(key, { batch, size })
      bytes += size
      const list = bases.get(partition) ?? []
      const at = list.findLastIndex((base) => base < batch.base) + 1
      list.splice(at, 0, batch.base)
      bases.set(partition, list)
      for (const oldest of batches.keys()) {
        if (bytes <= maxBytes || oldest === key) break
        drop(oldest)
      }
    },
    at(partition, offset) {
      const base = bases.get(partition)?.findLast((each) => each <= offset)
      if (base === undefined) return undefined
      const key = `${partition} ${base}`
      const known = batches.get(key)
      if (known === undefined || known.batch.next <= offset) return undefined
      batches.delete(key)
      batches.set(key, known)
      return known.batch
    },
  }
}
