import type { Settings } from '@tributary/connector-kit'
import type { SecretBox } from '@tributary/kernel'
import { openSettings, type StoredSettings } from '../app-settings/stored-settings.ts'
import { hashToken } from '../secret-tokens.ts'
import { createFollower, type Follower, type FollowerDeps } from './follower.ts'

/** What a write key leads to. */
export type WriteKeyEntry = {
  workspaceId: string
  sourceId: string
  sourceTitle: string
  sourceEnabled: boolean
  /** Slug of the source's entry in the catalogue. */
  app: string
  /** What its app was set to, secrets included; undefined when the secrets cannot be opened. */
  settings: Settings | undefined
  keyId: string
}

export type WriteKeyDirectory = Follower & {
  /** The entry of a valid key, from memory. A revocation shows within two seconds. */
  find(key: string): WriteKeyEntry | undefined
  /** The entry that a revoked key led to, from memory; its source may be deleted. */
  findRevoked(key: string): WriteKeyEntry | undefined
}

/** Texts whose answer is remembered, also that nobody knows them; then all are forgotten. */
const rememberedKeys = 20_000
/** Longer than any key we make: such a text is not even hashed. */
const longestKey = 256

/** Every valid write key with its source, in memory, for collection: no query is made for a request. */
export const createWriteKeyDirectory = (deps: FollowerDeps & { secretBox: SecretBox }): WriteKeyDirectory => {
  let byHash: ReadonlyMap<string, WriteKeyEntry> = new Map()
  let revoked: ReadonlyMap<string, WriteKeyEntry> = new Map()
  const remembered = new Map<string, WriteKeyEntry | null>()
  const settingsOf = (id: string, row: StoredSettings): Settings | undefined => {
    try {
      return openSettings(`sources/${id}`, row, deps.secretBox)
    } catch (error) {
      deps.logger.error({ err: error, sourceId: id }, 'the settings of a source cannot be opened')
      return undefined
    }
  }
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
          'sources.app',
          'sources.settings',
          'sources.secrets_encrypted',
          'write_keys.revoke_time',
          'sources.delete_time',
        ])
        .execute()
      const next = new Map<string, WriteKeyEntry>()
      const former = new Map<string, WriteKeyEntry>()
      // Keys of one source share what was opened for it.
      const opened = new Map<string, Settings | undefined>()
      for (const row of rows) {
        const gone = row.delete_time !== null
        // Who still sends with the key of a deleted source is told so, and the workspace sees it: no more is needed of it.
        if (!gone && !opened.has(row.source_id)) opened.set(row.source_id, settingsOf(row.source_id, row))
        const into = row.revoke_time === null && !gone ? next : former
        into.set(Buffer.from(row.key_hash).toString('latin1'), {
          workspaceId: row.workspace_id,
          sourceId: row.source_id,
          sourceTitle: row.title,
          sourceEnabled: row.enabled,
          app: row.app,
          settings: opened.get(row.source_id),
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
