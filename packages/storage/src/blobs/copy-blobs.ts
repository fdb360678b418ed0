import type { Blobs } from './port.ts'

/** Maximum objects copied concurrently. */
const atOnce = 8

/**
 * Copies the objects that `to` does not have, and changes nothing else, so it can be repeated. Returns the number of
 * copied objects. Rejects with the first failure, after all running copies have ended.
 */
export const copyBlobs = async (from: Blobs, to: Blobs): Promise<number> => {
  const there = new Set(await to.list(''))
  const keys = (await from.list('')).filter((key) => !there.has(key)).values()
  let copied = 0
  const work = async (): Promise<void> => {
    for (const key of keys) {
      const blob = await from.get(key)
      // The object was deleted meanwhile.
      if (blob === undefined) continue
      await to.put(key, blob.body, blob.contentType)
      copied++
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, work))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  return copied
}
