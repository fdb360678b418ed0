/** Collects items and passes them on together. */
export type FrameBatch<Item> = { add: (item: Item) => void; stop: () => void }

/** With this number of items they are passed on immediately: a page in the background gets no frames. */
const most = 100

/**
 * `onBatch` receives the items that were added since the last frame of the page, in their order, at most once a frame.
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
