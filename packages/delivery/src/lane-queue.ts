import type { Item } from './parts.ts'

/** Events of one lane in order; their bytes are also counted in the budget that all lanes share. */
export type LaneQueue = {
  length(): number
  bytes(): number
  /** Entry time of the first. */
  oldest(): number | undefined
  add(items: readonly Item[]): void
  /** Takes from the front: at least one, at most so many events and bytes. */
  shift(events: number, bytes: number): Item[]
  /** Everything, in order, which stays. */
  items(): readonly Item[]
  /** Takes everything. */
  clear(): Item[]
}

/** An empty queue. */
export const createLaneQueue = (shared: { bytes: number }): LaneQueue => {
  let items: Item[] = []
  let head = 0
  let bytes = 0
  const taken = (batch: Item[]): Item[] => {
    for (const item of batch) {
      bytes -= item.bytes
      shared.bytes -= item.bytes
    }
    return batch
  }
  return {
    length: () => items.length - head,
    bytes: () => bytes,
    oldest: () => items[head]?.since,
    add: (added) => {
      for (const item of added) {
        items.push(item)
        bytes += item.bytes
        shared.bytes += item.bytes
      }
    },
    shift: (maxEvents, maxBytes) => {
      const start = head
      let sum = 0
      for (let item = items[head]; item !== undefined && head - start < maxEvents; item = items[head]) {
        if (head > start && sum + item.bytes > maxBytes) break
        sum += item.bytes
        head++
      }
      const batch = items.slice(start, head)
      if (head > 512 && head * 2 > items.length) {
        items = items.slice(head)
        head = 0
      }
      return taken(batch)
    },
    items: () => items.slice(head),
    clear: () => {
      const batch = items.slice(head)
      items = []
      head = 0
      return taken(batch)
    },
  }
}
