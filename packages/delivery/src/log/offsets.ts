/** One record that is under way; `open` counts what must still end before it is done. */
export type OpenOffset = { readonly offset: number; open: number }

/**
 * Which records of one partition (or range) are under way. Records begin in ascending order and end in any; `low` is
 * the lowest that has not ended: everything below it may be forgotten.
 */
export type OffsetTracker = {
  /** Begins a record with one hold on it. */
  begin(offset: number): OpenOffset
  /** Takes one hold off; the last one ends the record. */
  release(entry: OpenOffset): void
  /** The lowest record under way, undefined when there is none. */
  low(): number | undefined
  size(): number
}

/** An empty tracker. */
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

/** Something that ends when the last hold on it is released, such as a record in flight. */
export type Held = {
  /** Holds: one for each part of it that is not durable yet. */
  open: number
  /** Called once, when the last hold is gone. */
  readonly finish: () => void
}

/** Releases holds. */
export const release = (held: Held, holds = 1): void => {
  held.open -= holds
  if (held.open === 0) held.finish()
}
