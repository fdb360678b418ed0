/** An object whose action failed, with the error. */
export type BulkFailure<Item> = { item: Item; error: Error }

/** Maximum simultaneous calls. */
const atOnce = 4

/**
 * Runs an action once for each of several objects, a few at a time. A failure does not stop the others. Resolves to the
 * failed objects, in their order. `onProgress` receives the number of objects that are done. After `signal` is aborted,
 * no further action begins; the remaining objects count as neither done nor failed.
 */
export const runBulk = async <Item>(
  items: readonly Item[],
  run: (item: Item) => Promise<unknown>,
  { onProgress, signal }: { onProgress?: (settled: number) => void; signal?: AbortSignal } = {},
): Promise<BulkFailure<Item>[]> => {
  const failures = new Map<number, BulkFailure<Item>>()
  let next = 0
  let settled = 0
  const work = async (): Promise<void> => {
    while (next < items.length && signal?.aborted !== true) {
      const place = next++
      const item = items[place]
      if (item === undefined) return
      try {
        await run(item)
      } catch (error) {
        failures.set(place, { item, error: error instanceof Error ? error : new Error('unknown error') })
      }
      onProgress?.(++settled)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return [...failures].toSorted(([one], [other]) => one - other).map(([, failure]) => failure)
}
