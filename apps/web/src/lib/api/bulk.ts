/** What could not be done, and why. */
export type BulkFailure<Item> = { item: Item; error: Error }

/** Calls that are under way at once. */
const atOnce = 4

/**
 * Does the same to many objects, some at once, each once. One that fails does not keep the others from being done.
 * Resolves to those that failed, in their order; `onProgress` is told how many are settled. Once `signal` is aborted no
 * further one is begun, and those that were not are neither done nor failed.
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
