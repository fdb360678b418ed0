import type { Batching } from '@tributary/connector-kit'
import { type Item, memoryOf } from '../parking/in-flight-record.ts'

/**
 * The events of one worker in order, grouped by action, because a batch has events of one action. Their bytes, with
 * those of their profiles, also count towards the limit that all workers share.
 */
export type BatchQueue = {
  length(): number
  bytes(): number
  /** Returns the queued item that entered first. */
  oldest(): Item | undefined
  add(items: readonly Item[]): void
  /** Puts batches before all others. These batches will leave the queue unchanged. */
  putFirst(batches: readonly (readonly Item[])[]): void
  /**
   * Takes a batch: at least one event, at most what `batching` allows. If no batch is full or has waited long enough,
   * returns the ms until one has. With `inOrder`, no item overtakes an earlier one, even of another action.
   */
  next(batching: Batching, now: number, inOrder: boolean): readonly Item[] | number
  /** Returns all items without taking them. */
  items(): readonly Item[]
  /** Removes and returns all items. */
  clear(): readonly Item[]
}

/**
 * Maximum number of taken items that stay at the front of the array. Removing fewer items, by moving all others, costs
 * more than it saves.
 */
const maxLeft = 32

/** The events of one action. */
const createRow = () => {
  let items: Item[] = []
  let head = 0
  let bytes = 0
  return {
    length: () => items.length - head,
    bytes: () => bytes,
    first: (): Item | undefined => items[head],
    push: (item: Item): void => {
      items.push(item)
      bytes += item.bytes
    },
    /**
     * Takes items from the front that entered before the item number `before`. Takes at least one item, and at most
     * `maxEvents` events and `maxBytes` bytes.
     */
    shift: (maxEvents: number, maxBytes: number, before: number): Item[] => {
      const start = head
      let sum = 0
      for (let item = items[head]; item !== undefined && head - start < maxEvents; item = items[head]) {
        if (head > start && (sum + item.bytes > maxBytes || item.entry > before)) break
        sum += item.bytes
        head++
      }
      bytes -= sum
      const batch = items.slice(start, head)
      // Taken items must be released early. Otherwise they would outlive two collections of young objects.
      if (head === items.length || head >= maxLeft) {
        items = items.slice(head)
        head = 0
      }
      return batch
    },
    items: (): Item[] => items.slice(head),
  }
}
type Row = ReturnType<typeof createRow>

const bytesOf = (items: readonly Item[]): number => items.reduce((sum, item) => sum + memoryOf(item), 0)
const entryOf = (row: Row): number => row.first()?.entry ?? Number.POSITIVE_INFINITY

/** Creates an empty queue. */
export const createBatchQueue = (shared: { bytes: number }): BatchQueue => {
  let rows = new Map<string, Row>()
  let first: (readonly Item[])[] = []
  let length = 0
  let bytes = 0
  let entries = 0

  const count = (events: number, size: number): void => {
    length += events
    bytes += size
    shared.bytes += size
  }
  const left = (batch: readonly Item[]): readonly Item[] => {
    count(-batch.length, -bytesOf(batch))
    return batch
  }
  /** Rows in the order of their first event. */
  const inTurn = (): Row[] => {
    const waiting = [...rows.values()].filter((row) => row.length() > 0)
    return waiting.length < 2 ? waiting : waiting.toSorted((a, b) => entryOf(a) - entryOf(b))
  }
  const items = (): Item[] => [...first.flat(), ...[...rows.values()].flatMap((row) => row.items())]

  return {
    length: () => length,
    bytes: () => bytes,
    oldest: () => first[0]?.[0] ?? inTurn()[0]?.first(),
    add: (added) => {
      for (const item of added) {
        const { action } = item.event
        const row = rows.get(action) ?? createRow()
        rows.set(action, row)
        item.entry = entries++
        row.push(item)
      }
      count(added.length, bytesOf(added))
    },
    putFirst: (batches) => {
      first = [...batches, ...first]
      for (const batch of batches) count(batch.length, bytesOf(batch))
    },
    next: ({ maxEvents, maxBytes, maxWaitMs }, now, inOrder) => {
      const ready = first.shift()
      if (ready !== undefined) return left(ready)
      const turn = inTurn()
      const [oldest, second] = turn
      if (oldest === undefined) return Number.POSITIVE_INFINITY
      const before = inOrder && second !== undefined ? entryOf(second) : Number.POSITIVE_INFINITY
      const maxLength = Math.max(1, maxEvents)
      let wait = Number.POSITIVE_INFINITY
      for (const row of inOrder ? [oldest] : turn) {
        const waited = now - (row.first()?.since ?? now)
        // If order matters, the next item of another action ends the batch, so the batch cannot grow.
        const full = row.length() >= maxLength || row.bytes() >= maxBytes || Number.isFinite(before)
        if (maxLength === 1 || full || waited >= maxWaitMs) return left(row.shift(maxLength, maxBytes, before))
        wait = Math.min(wait, maxWaitMs - waited)
      }
      return wait
    },
    items,
    clear: () => {
      const all = items()
      rows = new Map()
      first = []
      return left(all)
    },
  }
}
