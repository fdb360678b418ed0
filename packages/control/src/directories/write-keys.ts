import { hashToken } from '../secret-tokens.ts'
import { createFollower, type Follower, type FollowerDeps } from './follower.ts'

/** What a write key leads to. */
export type WriteKeyEntry = {
  workspaceId: string
  sourceId: string
  sourceTitle: string
  sourceEnabled: boolean
  keyId: string
}

export type WriteKeyDirectory = Follower & {
  /** The entry of a valid key, from memory. A revocation shows within two seconds. */
  find(key: string): WriteKeyEntry | undefined
  /** The entry that a revoked key led to, as long as its source is there, from memory. */
  findRevoked(key: string): WriteKeyEntry | undefined
}

/** Texts whose answer is remembered, also that nobody knows them; then all are forgotten. */
const rememberedKeys = 20_000
/** Longer than any key we make: such a text is not even hashed. */
const longestKey = 256

/** Every valid write key with its source, in memory, for collection: no query is made for a request. */
export const createWriteKeyDirectory = (deps: FollowerDeps): WriteKeyDirectory => {
  let byHash: ReadonlyMap<string, WriteKeyEntry> = new Map()
  let revoked: ReadonlyMap<string, WriteKeyEntry> = new Map()
  const remembered = new Map<string, WriteKeyEntry | null>()
  const follower = createFollower(deps, {
    name: 'write keys',
    async load(tx) {
      const rows = await tx
        .selectFrom('write_keys')
        .innerJoin('sources', 'sources.id', 'write_keys.source_id')
        .select([
          'write_keys.id',
          'write_keys.key_hash',
          'write_keys.source_id',
          'sources.workspace_id',
          'sources.title',
          'sources.enabled',
          'write_keys.revoke_time',
        ])
        .where('sources.delete_time', 'is', null)
        .execute()
      const next = new Map<string, WriteKeyEntry>()
      const former = new Map<string, WriteKeyEntry>()
      for (const row of rows) {
        const into = row.revoke_time === null ? next : former
        into.set(Buffer.from(row.key_hash).toString('latin1'), {
          workspaceId: row.workspace_id,
          sourceId: row.source_id,
          sourceTitle: row.title,
          sourceEnabled: row.enabled,
          keyId: row.id,
        })
      }
      return () => {
        byHash = next
        revoked = former
        remembered.clear()
      }
    },
  })
  return {
    ...follower,
    find(key) {
      const known = remembered.get(key)
      if (known !== undefined) return known ?? undefined
      if (key.length > longestKey) return undefined
      const entry = byHash.get(hashToken(key).toString('latin1'))
      if (remembered.size >= rememberedKeys) remembered.clear()
      remembered.set(key, entry ?? null)
      return entry
    },
    findRevoked: (key) =>
      revoked.size === 0 || key.length > longestKey ? undefined : revoked.get(hashToken(key).toString('latin1')),
  }
}
