/** Collects items and passes them on together. */
export type FrameBatch<Item> = { add: (item: Item) => void; stop: () => void }

/** If this many items wait, they are passed on immediately: a page in the background gets no frames. */
const most = 100

/**
 * Collects items. Calls `onBatch` at most once per frame of the page, with the items since the last call, in their
 * order.
 */
export const createFrameBatch = <Item>(onBatch: (items: readonly Item[]) => void): FrameBatch<Item> => {
  let items: Item[] = []
  let frame: number | undefined
  const flush = (): void => {
    if (frame !== undefined) cancelAnimationFrame(frame)
    frame = undefined
    const batch = items
    items = []
    onBatch(batch)
  }
  return {
    add(item) {
      items.push(item)
      if (items.length >= most || document.hidden) flush()
      else frame ??= requestAnimationFrame(flush)
    },
    stop() {
      if (frame !== undefined) cancelAnimationFrame(frame)
      items = []
    },
  }
}
