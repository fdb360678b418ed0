import type { Batch } from './batches.ts'
import type { Control } from './control.ts'
import type { Partitions } from './partitions.ts'

/** Size of a fetch of the last batch of each partition: Kafka also returns a larger batch whole. */
const oneBatch = 1024 * 1024

/**
 * The offsets after the newest record of some partitions, given Kafka's own ends: a batch that ends earlier writers has
 * no record. The callback `batchAt` may return a cached batch; `noted` gets the fetched batches.
 */
export const recordEnds = async (
  topic: Partitions,
  control: Control,
  ends: ReadonlyMap<number, number>,
  known: {
    batchAt?(partition: number, offset: number): Batch | undefined
    noted?(partition: number, batch: Batch): void
  },
): Promise<Map<number, number>> => {
  const found = new Map<number, number>()
  let open = new Map(ends)
  for (let looked = false; open.size > 0; ) {
    const left = new Map<number, number>()
    const wanted = new Map<number, number>()
    for (const [partition, end] of open) {
      const opening = control.openings().findLast(({ fences }) => fences[partition] === end - 1)
      const batch = known.batchAt?.(partition, end - 1)
      if (opening !== undefined) found.set(partition, opening.ends[partition] ?? 0)
      else if (end === 0) found.set(partition, 0)
      else if (batch !== undefined && batch.head?.f !== 1) found.set(partition, batch.next)
      else wanted.set(partition, end - 1)
    }
    if (wanted.size === 0) return found
    const fetched = await topic.fetch(wanted, oneBatch)
    let isUnknown = false
    for (const [partition, offset] of wanted) {
      const batch = fetched.get(partition)?.batches.find(({ base, next }) => base <= offset && offset < next)
      if (batch === undefined) {
        const { code, start = 0 } = fetched.get(partition) ?? { code: 0 }
        // If the offset was deleted, no record remains. Otherwise the response was full, and the batch is fetched
        // again.
        if (code !== 0 || start > offset) found.set(partition, offset + 1)
        else left.set(partition, offset + 1)
      } else if (batch.head?.f === 1) {
        isUnknown = true
        left.set(partition, looked ? batch.base : offset + 1)
      } else {
        known.noted?.(partition, batch)
        found.set(partition, offset + 1)
      }
    }
    // An opening is recorded after its batches are appended.
    if (isUnknown && !looked) {
      await control.refresh()
      looked = true
    } else if (!isUnknown) looked = false
    open = left
  }
  return found
}

/**
 * Bytes of all batches before the positions, which are ends of batches, since the partitions began. If the log has
 * nothing before a position, the count of the newest opening is used: it is only compared with bytes that remain.
 */
export const bytesBehind = async (
  topic: Partitions,
  control: Control,
  places: ReadonlyMap<number, number>,
): Promise<Map<number, number>> => {
  const found = new Map([...places.keys()].map((partition) => [partition, 0]))
  const wanted = new Map(
    [...places].filter(([, place]) => place > 0).map(([partition, place]) => [partition, place - 1]),
  )
  const add = (partition: number, bytes: number): void => void found.set(partition, (found.get(partition) ?? 0) + bytes)
  while (wanted.size > 0) {
    for (const [partition, { code, start, batches }] of await topic.fetch(wanted, oneBatch)) {
      const offset = wanted.get(partition) ?? 0
      const batch = batches.find(({ base, next }) => base <= offset && offset < next)
      const isHeld = code === 0 && start <= offset
      if (batch === undefined && isHeld) continue
      const opening = control.openings().findLast(({ fences }) => fences[partition] === offset)
      add(partition, batch?.bytes ?? 0)
      if (batch?.head?.f === 1 && opening === undefined && offset > 0) wanted.set(partition, batch.base - 1)
      else {
        const before = batch?.head?.f === 1 ? opening?.bytes[partition] : batch?.head?.c
        add(partition, before ?? control.openingsOf(partition).at(-1)?.bytes[partition] ?? 0)
        wanted.delete(partition)
      }
    }
  }
  return found
}

/** Returns, for each place, the bytes of all batches before the batch at that place. */
export const bytesBefore = async (
  topic: Partitions,
  control: Control,
  places: ReadonlyMap<number, number>,
): Promise<Map<number, number>> => {
  const found = new Map<number, number>()
  const wanted = new Map(places)
  while (wanted.size > 0) {
    for (const [partition, { code, start, batches }] of await topic.fetch(wanted, oneBatch)) {
      const offset = wanted.get(partition) ?? 0
      const batch = batches.find(({ base, next }) => base <= offset && offset < next)
      if (batch === undefined && code === 0 && start <= offset) continue
      const opening = control.openings().findLast(({ fences }) => fences[partition] === batch?.base)
      found.set(partition, (batch?.head?.f === 1 ? opening?.bytes[partition] : batch?.head?.c) ?? 0)
      wanted.delete(partition)
    }
  }
  return found
}
