import { hashToken, type Tx } from '@tributary/api-kit'
import type { LoadedConnectors, Settings } from '@tributary/connector-kit'
import type { SecretBox } from '@tributary/kernel'
import { logPartitions, partitionsOf } from '@tributary/storage'
import { sql } from 'kysely'
import { openSettings, type StoredSettings } from '../connector-settings/stored-settings.ts'
import { type CacheFollower, type CacheFollowerDeps, type Changed, createCacheFollower } from './cache-follower.ts'

/** Returns the name of a change of a workspace's spread. The name contains the time when requests were paused. */
export const spreadChange = (workspaceId: string, time: Date): string => `${workspaceId} ${time.getTime()}`

/** Returns the workspace of a change, and the time when its requests were paused, from the name of the change. */
export const spreadPause = (change: string): { workspaceId: string; time: Date } => {
  const [workspaceId = '', time] = change.split(' ')
  return { workspaceId, time: new Date(Number(time)) }
}

/** The source of a write key. */
export type WriteKeyEntry = {
  organizationId: string
  workspaceId: string
  sourceId: string
  sourceTitle: string
  sourceEnabled: boolean
  /** Slug of the source's entry in the catalog. */
  app: string
  /** The settings of the source's app, secrets included; undefined if the secrets cannot be opened. */
  settings: Settings | undefined
  keyId: string
}

/** The partitions of a workspace, and the name of the open change for which its requests are paused. */
type CachedSpread = { partitions: readonly number[]; change: string | undefined }

export type WriteKeyCache = CacheFollower & {
  spreads: {
    /**
     * The spread of a workspace, the same object until the next change of the configuration. Undefined for a workspace
     * in one partition whose requests are not paused.
     */
    of(workspaceId: string): CachedSpread | undefined
    /** Names of the changes for which requests are paused. */
    changes(): string[]
  }
  /** Returns the entry of a valid key, from memory. A revocation takes effect within two seconds. */
  find(key: string): WriteKeyEntry | undefined
  /** Returns the entry of a revoked key, from memory; its source may be deleted. */
  findRevoked(key: string): WriteKeyEntry | undefined
}

const loadSpreads = async (tx: Tx): Promise<ReadonlyMap<string, CachedSpread>> => {
  // All rows are read, because there are few.
  const rows = await tx
    .selectFrom('workspace_spreads')
    .select(['workspace_id', 'spread', 'pause_time'])
    .where((row) => row.or([row('spread', '>', 1), row('pause_time', 'is not', null)]))
    .execute()
  return new Map(
    rows.map(({ workspace_id: workspaceId, spread, pause_time }) => [
      workspaceId,
      {
        partitions: partitionsOf(workspaceId, spread, logPartitions),
        change: pause_time === null ? undefined : spreadChange(workspaceId, pause_time),
      },
    ]),
  )
}

/** Reads the write keys with their sources: all, or those that have changed. */
const loadKeys = (tx: Tx, changed: Changed | undefined) =>
  tx
    .selectFrom('write_keys')
    .innerJoin('sources', 'sources.id', 'write_keys.source_id')
    .innerJoin('workspaces', 'workspaces.id', 'sources.workspace_id')
    .select([
      'write_keys.id',
      'write_keys.key_hash',
      'write_keys.source_id',
      'sources.workspace_id',
      'workspaces.organization_id',
      'sources.title',
      'sources.enabled',
      'sources.app',
      'sources.settings',
      'sources.secrets_encrypted',
      'write_keys.revoke_time',
      'sources.delete_time',
    ])
    .where(
      changed === undefined
        ? sql<boolean>`true`
        : sql<boolean>`(write_keys.id = any(${changed.writeKeys}) or write_keys.source_id = any(${changed.sources}))`,
    )
    .execute()

/** Maximum number of cached look-ups, also for unknown keys. Above it, the cache is cleared. */
const rememberedKeys = 20_000
/** Maximum characters of a looked-up key. A longer text is not even hashed. */
const longestKey = 256

/** The entries of keys by their hashes. */
const createEntries = () => {
  const byHash = new Map<string, WriteKeyEntry>()
  const revoked = new Map<string, WriteKeyEntry>()
  /** For all keys in the cache: hashes by the ID of the key, and IDs of keys by source. */
  const hashOf = new Map<string, string>()
  const keysOf = new Map<string, Set<string>>()
  const forget = (keyId: string): void => {
    const hash = hashOf.get(keyId)
    if (hash === undefined) return
    const entry = byHash.get(hash) ?? revoked.get(hash)
    keysOf.get(entry?.sourceId ?? '')?.delete(keyId)
    byHash.delete(hash)
    revoked.delete(hash)
    hashOf.delete(keyId)
  }

  const know = (hash: string, entry: WriteKeyEntry, valid: boolean): void => {
    forget(entry.keyId)
    const into = valid ? byHash : revoked
    into.set(hash, entry)
    hashOf.set(entry.keyId, hash)
    const keys = keysOf.get(entry.sourceId)
    if (keys === undefined) keysOf.set(entry.sourceId, new Set([entry.keyId]))
    else keys.add(entry.keyId)
  }

  return {
    byHash,
    revoked,
    know,
    forgetChanged(changed: Changed | undefined): void {
      if (changed === undefined) for (const known of [byHash, revoked, hashOf, keysOf]) known.clear()
      for (const keyId of changed?.writeKeys ?? []) forget(keyId)
      for (const source of changed?.sources ?? []) for (const keyId of keysOf.get(source) ?? []) forget(keyId)
      for (const source of changed?.sources ?? []) keysOf.delete(source)
    },
  }
}

/**
 * Keeps every valid write key with its source in memory, for collection, so that a request needs no query. With
 * `connectors`, the connector of a source is loaded before its keys are in the snapshot.
 */
export const createWriteKeyCache = (
  deps: CacheFollowerDeps & { secretBox: SecretBox; connectors?: Pick<LoadedConnectors<unknown>, 'load'> },
): WriteKeyCache => {
  const { byHash, revoked, know, forgetChanged } = createEntries()
  const remembered = new Map<string, WriteKeyEntry | null>()
  const settingsOf = (id: string, row: StoredSettings): Settings | undefined => {
    try {
      return openSettings(`sources/${id}`, row, deps.secretBox)
    } catch (error) {
      deps.logger.error({ err: error, sourceId: id }, 'the settings of a source cannot be opened')
      return undefined
    }
  }
  let spreads: ReadonlyMap<string, CachedSpread> = new Map()
  const follower = createCacheFollower(deps, {
    name: 'write keys',
    async load(tx, changed) {
      const rows = await loadKeys(tx, changed)
      const spread = await loadSpreads(tx)
      await deps.connectors?.load(rows.map(({ app }) => app))
      // All keys of a source share its opened settings.
      const opened = new Map<string, Settings | undefined>()
      for (const row of rows)
        if (row.delete_time === null && !opened.has(row.source_id))
          opened.set(row.source_id, settingsOf(row.source_id, row))
      return () => {
        spreads = spread
        forgetChanged(changed)
        for (const row of rows) {
          const entry = {
            organizationId: row.organization_id,
            workspaceId: row.workspace_id,
            sourceId: row.source_id,
            sourceTitle: row.title,
            sourceEnabled: row.enabled,
            app: row.app,
            settings: opened.get(row.source_id),
            keyId: row.id,
          }
          // A key of a deleted source counts as revoked, so the sender gets that response, and the workspace sees the
          // refused request.
          const valid = row.revoke_time === null && row.delete_time === null
          know(Buffer.from(row.key_hash).toString('latin1'), entry, valid)
        }
        remembered.clear()
      }
    },
  })

  return {
    ...follower,
    spreads: {
      of: (workspaceId) => spreads.get(workspaceId),
      changes: () => [...spreads.values()].flatMap(({ change }) => change ?? []),
    },
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
