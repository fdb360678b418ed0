import { createHash } from 'node:crypto'
import type { Db, Tx } from '@tributary/api-kit'
import { maxHeldWorkReleases } from '@tributary/contract'
import { newId, rateLimited } from '@tributary/kernel'
import { sql } from 'kysely'

/**
 * Period in which the releases of one item are counted, ms. Each release can block a thread that all workspaces share.
 */
const windowMs = 24 * 3_600_000
/**
 * Minimum time between two releases in the installation, ms. Within this time, the watchdog ends a thread that is
 * blocked.
 */
const pauseMs = 5 * 60_000

/** Returns a hash that identifies an item without revealing the values in its text. */
const hashed = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Returns the key by which releases of held work are counted. */
export const keyOfWork = (item: string): string => hashed(item)

/**
 * Returns the key by which releases of a set-aside request are counted. The request gets a new ID each time it is set
 * aside; its meta contains the first one as `b`.
 */
export const keyOfRequest = ({ id, meta }: { id: string; meta: string }): string => {
  let first: unknown
  try {
    first = (JSON.parse(meta) as { b?: unknown } | null)?.b
  } catch {
    // A request with an unreadable meta keeps it, and is counted by its own ID.
  }
  return hashed(`set aside ${typeof first === 'string' ? first : id}`)
}

/** The latest releases of some items. */
export type Releases = {
  /** Number of releases of an item within the last 24 hours. */
  count(key: string): number
  /** Returns the time from which an item can be released again, epoch ms; undefined if it can be released now. */
  nextTime(key: string): number | undefined
}

/**
 * Reads the latest releases of these items before the time `now` (epoch ms), and the latest release in the
 * installation.
 */
export const readReleases = async (db: Db | Tx, keys: readonly string[], now: number): Promise<Releases> => {
  const { rows } = await sql<{ item: string; release_time: Date }>`
    select item, release_time from work_releases
    where release_time > ${new Date(now - windowMs)} and (item = any(${keys}::text[]) or release_time > ${new Date(now - pauseMs)})
    order by release_time desc`.execute(db)
  const times = (key: string): number[] =>
    rows.filter(({ item }) => item === key).map(({ release_time }) => release_time.getTime())
  return {
    count: (key) => times(key).length,
    nextTime(key) {
      const latest = rows[0]?.release_time.getTime() ?? 0
      const oldest = times(key)[maxHeldWorkReleases - 1] ?? 0
      const next = Math.max(latest + pauseMs, oldest === 0 ? 0 : oldest + windowMs)
      return next > now ? next : undefined
    },
  }
}

const waitText = (ms: number): string => {
  const minutes = Math.ceil(ms / 60_000)
  const [number, unit] = minutes < 90 ? [minutes, 'minute'] : [Math.ceil(minutes / 60), 'hour']
  return `${number} ${unit}${number === 1 ? '' : 's'}`
}

/**
 * Counts a release, in the transaction that releases the work. Other releases wait until the transaction ends.
 *
 * @throws 429 if the item was released too often, or any item was released too recently
 */
export const countRelease = async (
  tx: Tx,
  { key, workspaceId, now }: { key: string; workspaceId: string; now: number },
): Promise<void> => {
  await sql`select pg_advisory_xact_lock(hashtextextended('release of held work', 0))`.execute(tx)
  const releases = await readReleases(tx, [key], now)
  const next = releases.nextTime(key)
  if (next !== undefined) {
    const wait = `Try again in ${waitText(next - now)}`
    throw rateLimited(
      releases.count(key) >= maxHeldWorkReleases
        ? `You can retry this ${maxHeldWorkReleases} times within 24 hours. ${wait}`
        : `Another item was just retried, and only one is retried at a time. ${wait}`,
      next - now,
    )
  }
  await tx
    .insertInto('work_releases')
    .values({ id: newId(), item: key, workspace_id: workspaceId, release_time: new Date(now) })
    .execute()
  await tx
    .deleteFrom('work_releases')
    .where('release_time', '<=', new Date(now - windowMs))
    .execute()
}
