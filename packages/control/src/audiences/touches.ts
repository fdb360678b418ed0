import type { Db } from '@tributary/api-kit'
import { sql } from 'kysely'

/** Whether the requests of a partition before an offset are stored; true where nobody can tell. */
export type IsStored = (partition: number, offset: number) => boolean

/** Touches younger than so much may be of events that are not stored yet, ms: an older one is looked at whatever is heard. */
const storingMs = 15_000

/** Touches that are read at once. */
const touchesAtOnce = 2000

/**
 * Below which transaction everything that happened is seen by what is evaluated from now on: of younger touches the events may not be
 * stored yet.
 */
export const markNow = async (db: Db, workspaceId: string): Promise<string> => {
  const { rows } = await sql<{ mark: string }>`
    select least(pg_snapshot_xmin(pg_current_snapshot())::text::bigint, (
      select min(transaction) from audience_touches
      where workspace_id = ${workspaceId}::uuid and time > now() - ${storingMs} * interval '1 millisecond'
    ))::text as mark`.execute(db)
  return rows[0]?.mark ?? '0'
}

export type Touched = {
  profiles: string[]
  /** Below which transaction all of them are among these. */
  before: string
  /** Whether that is everything there is. */
  complete: boolean
}

type Row = {
  profiles: string[]
  transaction: string
  log_partition: number | null
  log_offset: string | null
  old: boolean
}

/** The profiles of a workspace that something happened to from a transaction on, and whose events are stored. */
export const readTouched = async (db: Db, workspaceId: string, from: string, isStored: IsStored): Promise<Touched> => {
  // First, so that what it names is seen by what is read then.
  const { rows: marks } = await sql<{ mark: string }>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as mark`.execute(db)
  const { rows } = await sql<Row>`
    select profiles, transaction, log_partition, log_offset,
      time <= now() - ${storingMs} * interval '1 millisecond' as old
    from audience_touches where workspace_id = ${workspaceId}::uuid and transaction >= ${from}::bigint
    order by transaction limit ${touchesAtOnce}`.execute(db)
  const [stored, waiting] = [new Set<string>(), [] as bigint[]]
  for (const row of rows)
    if (row.old || row.log_partition === null || isStored(row.log_partition, Number(row.log_offset) + 1))
      for (const profile of row.profiles) stored.add(profile)
    else waiting.push(BigInt(row.transaction))
  const complete = rows.length < touchesAtOnce
  const bounds = [BigInt(marks[0]?.mark ?? 0), ...waiting, ...(complete ? [] : [BigInt(rows.at(-1)?.transaction ?? 0)])]
  const before = bounds.reduce((least, each) => (each < least ? each : least))
  return { profiles: [...stored], before: String(before), complete }
}

/** Removes touches that every audience has taken into account, and those that none will: a whole computation finds the same. */
export const clearTouches = (db: Db): Promise<unknown> =>
  sql`
    delete from audience_touches t where time < now() - interval '1 minute' and (
      time < now() - interval '30 minutes' or not exists (
        select from audiences a where a.workspace_id = t.workspace_id and a.touched_before <= t.transaction))`.execute(
    db,
  )
