import type { Db } from '@tributary/api-kit'
import { parseRecordPlaces } from '@tributary/kernel'
import { sql } from 'kysely'

/** Whether the requests of a partition before an offset are stored; true if this is unknown. */
type IsStored = (partition: number, offset: number) => boolean

/** The progress of storing events. It is unknown until the pipeline reports it. */
export type Storing = {
  isStored: IsStored
  /** Whether storing is behind: older requests are not stored yet. */
  isBehind: () => boolean
}

/** Age in ms from which the events of a change count as stored, unless storing is behind. */
const storingMs = 15_000

/** Maximum changes per read. */
const touchesAtOnce = 2000

/**
 * Returns the mark of an evaluation that starts now: the evaluation includes every change whose transaction is below
 * the mark. Changes whose events may not be stored yet are not below the mark: those of the last seconds, and those
 * after `storedBefore` (`formatRecordPlaces`, '' if unknown).
 */
export const markNow = async (db: Db, workspaceId: string, storedBefore: string): Promise<string> => {
  const places = parseRecordPlaces(storedBefore)
  const { rows } = await sql<{ mark: string }>`
    select least(pg_snapshot_xmin(pg_current_snapshot())::text::bigint, (
      select min(transaction) from audience_touches
      where workspace_id = ${workspaceId}::uuid and (time > now() - ${storingMs} * interval '1 millisecond'
        or exists (select from unnest(
            ${places.map(({ partition }) => partition)}::integer[], ${places.map(({ offset }) => offset)}::bigint[]) as s (partition, place)
          where log_partition = s.partition and log_offset >= s.place))
    ))::text as mark`.execute(db)
  return rows[0]?.mark ?? '0'
}

export type ChangedProfiles = {
  profiles: string[]
  /** All changes below this transaction are included. */
  before: string
  /** Whether all changes were read, and not only the first ones. */
  complete: boolean
  /** Whether some changes have waited for their events too long, because storing is behind. */
  late: boolean
}

type Row = {
  profiles: string[]
  transaction: string
  log_partition: number | null
  log_offset: string | null
  old: boolean
}

/** Reads the profiles of a workspace that changed since a transaction, and whose events are stored. */
export const readChangedProfiles = async (
  db: Db,
  workspaceId: string,
  from: string,
  { isStored, isBehind }: Storing,
): Promise<ChangedProfiles> => {
  // Read the mark first, so that the next read sees all changes below it.
  const { rows: marks } = await sql<{ mark: string }>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as mark`.execute(db)
  const { rows } = await sql<Row>`
    select profiles, transaction, log_partition, log_offset,
      time <= now() - ${storingMs} * interval '1 millisecond' as old
    from audience_touches where workspace_id = ${workspaceId}::uuid and transaction >= ${from}::bigint
    order by transaction limit ${touchesAtOnce}`.execute(db)
  const behind = isBehind()
  const isReady = ({ old, log_partition, log_offset }: Row): boolean =>
    log_partition === null || (old && !behind) || isStored(log_partition, Number(log_offset) + 1)
  const stored = new Set(rows.filter(isReady).flatMap(({ profiles }) => profiles))
  const waits = rows.filter((row) => !isReady(row))
  const waiting = waits.map(({ transaction }) => BigInt(transaction))
  const complete = rows.length < touchesAtOnce
  const bounds = [BigInt(marks[0]?.mark ?? 0), ...waiting, ...(complete ? [] : [BigInt(rows.at(-1)?.transaction ?? 0)])]
  const before = bounds.reduce((least, each) => (each < least ? each : least))
  return { profiles: [...stored], before: String(before), complete, late: waits.some(({ old }) => old) }
}

/** Reads all profiles of a workspace that changed since a transaction, whether or not their events are stored. */
export const readAllChangedSince = async (db: Db, workspaceId: string, from: string): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select distinct unnest(profiles) as id from audience_touches
    where workspace_id = ${workspaceId}::uuid and transaction >= ${from}::bigint`.execute(db)
  return rows.map(({ id }) => id)
}
