import type { Db, Tx } from '@tributary/api-kit'
import type { Logger } from '@tributary/kernel'
import type { Relational } from '@tributary/storage'
import { type RawBuilder, sql } from 'kysely'
import { type DirectoryFollower, directoryWatchOf } from './directory-watch.ts'

export type CacheFollowerDeps = {
  db: Db
  /** The pool from which the connection that listens for changes is taken. */
  pool: Relational['pool']
  logger: Logger
  /**
   * Maximum time in ms that a change can go unnoticed while there is no connection for notifications; five times that
   * if a notification is lost otherwise.
   */
  pollMs?: number
}

export type CacheFollower = {
  /** Returns true from the first snapshot on. */
  ready(): boolean
  /**
   * Checks for changes now. Resolves when everything committed before the call is in the snapshot, or the check has
   * failed.
   */
  refresh(): Promise<void>
  /** Starts following. Resolves when the first snapshot is loaded, or loading it has failed. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** IDs of rows that may have changed or been deleted since the last snapshot. */
export type Changed = {
  readonly sources: readonly string[]
  readonly destinations: readonly string[]
  readonly writeKeys: readonly string[]
  /** Workspaces whose identity settings may have changed. */
  readonly identitySettings: readonly string[]
  readonly profileKeys: readonly string[]
  /** Workspaces whose computed traits may have changed. */
  readonly computedTraits: readonly string[]
  readonly syncTokens: readonly string[]
  /** Workspaces whose signals may have changed. */
  readonly signals: readonly string[]
}

/** Whether a column has one of these IDs; always true without IDs, when everything is loaded. */
export const among = (column: string, ids: readonly string[] | undefined): RawBuilder<boolean> =>
  ids === undefined ? sql<boolean>`true` : sql<boolean>`${sql.ref(column)} = any(${ids})`

/** Maximum changes that are loaded one by one. With more, a complete load is cheaper. */
const maxChanges = 1000

const changedSince = async (tx: Tx, version: string | undefined): Promise<Changed | undefined> => {
  if (version === undefined) return undefined
  const rows = await tx
    .selectFrom('directory_changes')
    .select(['kind', 'id'])
    .where('version', '>', version)
    .limit(maxChanges + 1)
    .execute()
  if (rows.length > maxChanges) return undefined
  const idsOf = (kind: (typeof rows)[number]['kind']): string[] =>
    rows.filter((row) => row.kind === kind).map(({ id }) => id)
  return {
    sources: idsOf('source'),
    destinations: idsOf('destination'),
    writeKeys: idsOf('write_key'),
    identitySettings: idsOf('identity_settings'),
    profileKeys: idsOf('profile_key'),
    computedTraits: idsOf('computed_traits'),
    syncTokens: idsOf('sync_token'),
    signals: idsOf('signals'),
  }
}

/**
 * Keeps a snapshot of the relational store in memory. The snapshot is checked after each notification, and regularly in
 * case one was lost. It is updated whenever the version of the configuration has increased. The argument of `load` is the
 * set of changes since the last update. It is undefined if everything must be loaded: at first, after very many
 * changes, and if the store is older than before. The result of `load` is a function that puts the rows into the
 * snapshot. Version and rows are read in one snapshot of the store, so no change is missed. While the store is
 * unavailable, the last snapshot is used.
 */
export const createCacheFollower = (
  { db, pool, logger, pollMs = 1000 }: CacheFollowerDeps,
  options: { name: string; load: (tx: Tx, changed: Changed | undefined) => Promise<() => void> },
): CacheFollower => {
  let seen: string | undefined
  let running: Promise<void> | undefined
  let again = false
  let failing = false
  let stopped = true

  const look = async (): Promise<void> => {
    const row = await db.selectFrom('directory_version').select('version').executeTakeFirstOrThrow()
    if (row.version === seen) return
    const loaded = await db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (tx) => {
        const { version } = await tx.selectFrom('directory_version').select('version').executeTakeFirstOrThrow()
        const known = seen !== undefined && BigInt(version) > BigInt(seen) ? seen : undefined
        return { version, apply: await options.load(tx, await changedSince(tx, known)) }
      })
    seen = loaded.version
    loaded.apply()
  }

  const lookSafely = async (): Promise<void> => {
    try {
      await look()
      if (failing) logger.info({ cache: options.name }, 'the directory follows again')
      failing = false
    } catch (error) {
      if (!failing) logger.warn({ err: error, cache: options.name }, 'the directory serves its last snapshot')
      failing = true
    }
  }

  /** Runs one check at a time. A call during a check waits for another check after it. */
  const refresh = (): Promise<void> => {
    if (running !== undefined) {
      again = true
      return running
    }
    running = (async () => {
      do {
        again = false
        await lookSafely()
      } while (again && !stopped)
      // Cleared in the same step as the last look at `again`, so that a later call starts its own check.
      running = undefined
    })()
    return running
  }

  const follower: DirectoryFollower = { onNews: () => void refresh(), isBehind: () => failing, pollMs }
  let watch: ReturnType<typeof directoryWatchOf> | undefined

  return {
    ready: () => seen !== undefined,
    refresh,
    async start() {
      stopped = false
      watch = directoryWatchOf(db, pool)
      await watch.join(follower)
      await refresh()
    },
    async stop() {
      stopped = true
      watch?.leave(follower)
      await running
    },
  }
}
