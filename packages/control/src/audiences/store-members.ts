import type { Tx } from '@tributary/api-kit'
import { sql } from 'kysely'
import type { AudienceRow } from './read.ts'

/** How many are in an audience, and how many of them entered and left the last time. */
export type Counts = { size: number; entered: number; gone: number }

/**
 * What is asked of `members`: makes the stored ones of an audience ($1) the same as of a time ($2), notes each who entered
 * and left, and counts.
 */
export const storeMembers = `, gone as (
  delete from audience_members m where m.audience_id = $1::uuid
    and not exists (select from members where members.id = m.profile_id) returning profile_id
), entered as (
  insert into audience_members (audience_id, profile_id, enter_time)
  select $1::uuid, id, $2::timestamptz from members on conflict do nothing returning profile_id
), noted as (
  insert into audience_changes (audience_id, profile_id, kind, time)
  select $1::uuid, profile_id, 'left', $2::timestamptz from gone
  union all select $1::uuid, profile_id, 'entered', $2::timestamptz from entered
)
select (select count(*) from members)::int as size, (select count(*) from entered)::int as entered,
  (select count(*) from gone)::int as gone`

/** A row that is no longer what was computed: nothing of it stays. */
export class Superseded extends Error {}

/**
 * Notes in the transaction of `storeMembers` that an audience was computed as of a time. Throws `Superseded` when its query is another
 * one since.
 */
export const storeCounts = async (
  tx: Tx,
  { id, version }: Pick<AudienceRow, 'id' | 'version'>,
  asOf: Date,
  { size, entered, gone }: Counts,
): Promise<void> => {
  const { numUpdatedRows } = await tx
    .updateTable('audiences')
    .set({ state: 'live', failure: '', size, entered_count: entered, left_count: gone, as_of: asOf })
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw new Superseded()
  await sql`
    insert into audience_hours (audience_id, hour, size, entered_count, left_count)
    values (${id}::uuid, date_trunc('hour', ${asOf}::timestamptz, 'UTC'), ${size}, ${entered}, ${gone})
    on conflict (audience_id, hour) do update set size = excluded.size,
      entered_count = audience_hours.entered_count + excluded.entered_count,
      left_count = audience_hours.left_count + excluded.left_count`.execute(tx)
}
