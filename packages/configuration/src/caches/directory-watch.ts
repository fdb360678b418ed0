import type { Db } from '@tributary/api-kit'
import { createListener, type Relational } from '@tributary/storage'

type Pool = Relational['pool']

/** A cache that follows the version of the configuration. */
export type DirectoryFollower = {
  /** Called when the version may have increased. */
  onNews(): void
  /** Whether the last check failed, so that the cache must check again. */
  isBehind(): boolean
  /** Interval of the checks in ms. */
  pollMs: number
}

type DirectoryWatch = {
  /** Starts to call the follower. Resolves when the watch listens, or the store is unavailable. */
  join(follower: DirectoryFollower): Promise<void>
  leave(follower: DirectoryFollower): void
}

/** While the watch listens, it reads the version only at each of this many checks, in case a notification was lost. */
const checksPerRead = 5

const createDirectoryWatch = (db: Db, pool: Pool, onEmpty: () => void): DirectoryWatch => {
  const followers = new Set<DirectoryFollower>()
  let seen: string | undefined
  let checks = 0
  /** Whether a notification has come since the version was read. */
  let isNotified = true
  let timer: NodeJS.Timeout | undefined
  const announce = (): void => {
    for (const { onNews } of followers) onNews()
  }
  const hear = (): void => {
    isNotified = true
    announce()
  }
  const listener = createListener(pool, 'directory_changed', hear, hear)

  /** Reads the version, and announces it if it is new. */
  const read = async (): Promise<void> => {
    const { version } = await db.selectFrom('directory_version').select('version').executeTakeFirstOrThrow()
    if (version === seen) return
    seen = version
    // A connection that lost a notification may be dead.
    if (!isNotified) listener.renew()
    announce()
  }

  const check = async (): Promise<void> => {
    void listener.ensure()
    if (listener.isListening() && ++checks % checksPerRead !== 0) {
      for (const { isBehind, onNews } of followers) if (isBehind()) onNews()
      return
    }
    // If the store is unavailable, each follower notices and reports it.
    await read().catch(announce)
    isNotified = false
  }

  const schedule = (): void => {
    clearInterval(timer)
    if (followers.size === 0) return
    timer = setInterval(() => void check(), Math.min(...[...followers].map(({ pollMs }) => pollMs)))
    timer.unref()
  }

  return {
    async join(follower) {
      followers.add(follower)
      schedule()
      await listener.ensure()
    },
    leave(follower) {
      followers.delete(follower)
      schedule()
      if (followers.size > 0) return
      listener.stop()
      onEmpty()
    },
  }
}

const watches = new WeakMap<Pool, DirectoryWatch>()

/** Returns the watch of a pool: all caches of the pool share one connection for notifications and one poll. */
export const directoryWatchOf = (db: Db, pool: Pool): DirectoryWatch => {
  const known = watches.get(pool)
  if (known !== undefined) return known
  const watch = createDirectoryWatch(db, pool, () => watches.delete(pool))
  watches.set(pool, watch)
  return watch
}
