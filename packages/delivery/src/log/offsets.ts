/** A record in flight; `open` is the number of holds on it. */
export type OpenOffset = { readonly offset: number; open: number }

/**
 * The records in flight of one partition (or range). Records begin in ascending order and end in any order. `low` is
 * the offset of the lowest record that has not ended. Records before it are no longer needed.
 */
export type OffsetTracker = {
  /** Begins a record with one hold. */
  begin(offset: number): OpenOffset
  /** Releases one hold; the last release ends the record. */
  release(entry: OpenOffset): void
  /** Returns the offset of the lowest record in flight; undefined if there is none. */
  low(): number | undefined
  size(): number
}

/** Creates an empty tracker. */
export const createOffsetTracker = (): OffsetTracker => {
  let entries: OpenOffset[] = []
  let head = 0
  return {
    begin: (offset) => {
      const entry = { offset, open: 1 }
      entries.push(entry)
      return entry
    },
    release: (entry) => {
      entry.open--
      while (head < entries.length && entries[head]?.open === 0) head++
      if (head < 1024 || head * 2 < entries.length) return
      entries = entries.slice(head)
      head = 0
    },
    low: () => entries[head]?.offset,
    size: () => entries.length - head,
  }
}

/** An object that ends when its last hold is released, such as a record in flight. */
export type Held = {
  /** Number of holds: one for each part that is not durable yet. */
  open: number
  /** Called once, when the last hold is released. */
  readonly finish: () => void
}

/** Releases holds. */
export const release = (held: Held, holds = 1): void => {
  held.open -= holds
  if (held.open === 0) held.finish()
}
