/** The object that failed, and why. */
export type BulkFailure<Item> = { item: Item; error: Error }

/** Maximum simultaneous calls. */
const atOnce = 4

/**
 * Does the same to several objects, some at a time, each once. A failure does not stop the others. Resolves to the
 * failed ones, in their order; `onProgress` receives the number of settled ones. After `signal` is aborted no further
 * one begins, and those are neither done nor failed.
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
