import { hashToken, type Tx } from '@tributary/api-kit'
import { type CacheFollower, type CacheFollowerDeps, type Changed, createCacheFollower } from './cache-follower.ts'

/**
 * Keeps all valid keys of a kind in memory, by their hashes. `load` reads the keys with the given IDs, or all keys
 * without IDs. A text that does not match `form` is not even hashed.
 */
export const createKeyFollower = <Entry extends { id: string }>(
  deps: CacheFollowerDeps,
  kind: {
    name: string
    form: RegExp
    idsIn(changed: Changed): readonly string[]
    load(tx: Tx, ids: readonly string[] | undefined): Promise<{ hash: Uint8Array; entry: Entry }[]>
  },
): CacheFollower & { find(key: string): Entry | undefined } => {
  const byHash = new Map<string, Entry>()
  const hashOf = new Map<string, string>()
  const follower = createCacheFollower(deps, {
    name: kind.name,
    async load(tx, changed) {
      const ids = changed && kind.idsIn(changed)
      const rows = await kind.load(tx, ids)
      return () => {
        for (const id of ids ?? [...hashOf.keys()]) {
          byHash.delete(hashOf.get(id) ?? '')
          hashOf.delete(id)
        }
        for (const { hash: bytes, entry } of rows) {
          const hash = Buffer.from(bytes).toString('latin1')
          byHash.set(hash, entry)
          hashOf.set(entry.id, hash)
        }
      }
    },
  })
  return {
    ...follower,
    find: (key) => (kind.form.test(key) ? byHash.get(hashToken(key).toString('latin1')) : undefined),
  }
}
