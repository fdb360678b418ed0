import type { Blobs } from './port.ts'

/** Objects that are copied at the same time. */
const atOnce = 8

/**
 * Copies the objects that `to` does not have, and leaves all others and those of `from` as they are, so that it can be
 * repeated. Returns the number of copied objects. Rejects with the first failure, when no copy is under way any more.
 */
export const copyBlobs = async (from: Blobs, to: Blobs): Promise<number> => {
  const there = new Set(await to.list(''))
  const keys = (await from.list('')).filter((key) => !there.has(key)).values()
  let copied = 0
  const work = async (): Promise<void> => {
    for (const key of keys) {
      const blob = await from.get(key)
      // One that was deleted meanwhile is none.
      if (blob === undefined) continue
      await to.put(key, blob.body, blob.contentType)
      copied++
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, work))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  return copied
}
