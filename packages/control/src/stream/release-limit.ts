import { createHash } from 'node:crypto'
import type { Db, Tx } from '@tributary/api-kit'
import { maxHeldWorkReleases } from '@tributary/contract'
import { newId, rateLimited } from '@tributary/kernel'
import { sql } from 'kysely'

/** Time in which releases of one item are counted, ms. Each can block a thread that all workspaces share. */
const windowMs = 24 * 3_600_000
/** Minimum time between two releases in the installation, ms. The watchdog has then ended a thread that is blocked. */
const pauseMs = 5 * 60_000

/** Names an item without the values in its text. */
const hashed = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Names held work by its text. */
export const keyOfWork = (item: string): string => hashed(item)

/** Names a request that is set aside. It gets another ID each time, and keeps the first one as `b` of its meta. */
export const keyOfRequest = ({ id, meta }: { id: string; meta: string }): string => {
  let first: unknown
  try {
    first = (JSON.parse(meta) as { b?: unknown } | null)?.b
  } catch {
    // Such a request is processed with its meta unchanged.
  }
  return hashed(`set aside ${typeof first === 'string' ? first : id}`)
}

/** The latest releases. */
export type Releases = {
  /** Number of releases of an item within the last 24 hours. */
  count(key: string): number
  /** When an item can be released again, epoch ms; undefined if now. */
  nextTime(key: string): number | undefined
}

/** Reads the releases of these items at this time (epoch ms), and the latest one of the installation. */
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
 * Counts a release in the transaction that makes it. Another release waits for the end of the transaction.
 *
 * @throws 429 when the item was released too often, or another item too recently
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
