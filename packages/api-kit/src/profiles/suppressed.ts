import { sql } from 'kysely'
import type { Db } from '../db.ts'

/** A condition on events, and its parameters. */
export type EventCondition = { where: string; params: Record<string, unknown> }

/** A time after any event in epoch ms: the last time with which the event store can compare. */
const never = 9_999_999_999_999

/**
 * Reads the condition that an event was received after its owner was suppressed, so that it has no profile. Undefined
 * if no user of the workspaces is suppressed.
 */
export const readSuppressed = async (db: Db, workspaces: readonly string[]): Promise<EventCondition | undefined> => {
  const { rows } = await sql<{ owner: string; time: Date }>`
    select owner::text, suppress_time as time from privacy_hashes
    where workspace_id = any(${workspaces}::uuid[]) and suppress_time is not null and owner is not null`.execute(db)
  if (rows.length === 0) return undefined
  return {
    where: `receive_time > fromUnixTimestamp64Milli(
      transform(owner, {suppressed_owners:Array(UInt64)}, {suppressed_times:Array(Int64)}, toInt64(${never})))`,
    params: {
      suppressed_owners: rows.map(({ owner }) => BigInt(owner)),
      suppressed_times: rows.map(({ time }) => time.getTime()),
    },
  }
}
