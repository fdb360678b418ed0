import { sql } from 'kysely'
import type { AudienceServices } from './services.ts'

/**
 * Time in ms for which exits from an audience are kept, so that a month can be compared with the same month of the
 * previous year.
 */
export const changesKeptMs = 400 * 24 * 3_600_000
/** Maximum exits that are removed per statement. */
const exitsAtOnce = 5000

/**
 * Removes each exit older than 400 days, and all earlier changes of the same profile in the same audience. The
 * remaining changes still give the same members. An exit that a destination has not received yet stays. Uses short
 * statements until nothing is left to remove or the signal aborts. Call this function regularly.
 */
export const forgetAudienceChanges = async (
  { db, clock }: Pick<AudienceServices, 'db' | 'clock'>,
  { signal }: { signal: AbortSignal },
  limit = exitsAtOnce,
): Promise<void> => {
  const before = new Date(clock() - changesKeptMs)
  for (;;) {
    signal.throwIfAborted()
    const { rows } = await sql<{ exits: number }>`
      with exits as (
        select id, audience_id, profile_id from audience_changes c where kind = 'left' and time < ${before}
          and not exists (select from audience_destinations d where d.audience_id = c.audience_id and d.sent_change < c.id)
        order by time limit ${limit}
      ), gone as (
        delete from audience_changes c using exits
        where c.audience_id = exits.audience_id and c.profile_id = exits.profile_id and c.id <= exits.id
      )
      select count(*)::int as exits from exits`.execute(db)
    if ((rows[0]?.exits ?? 0) < limit) return
  }
}
