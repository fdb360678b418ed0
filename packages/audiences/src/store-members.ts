import type { Tx } from '@tributary/api-kit'
import { sql } from 'kysely'
import type { AudienceRow } from './read.ts'

/** The size of an audience, and the numbers of members that entered and left at the last computation. */
export type Counts = { size: number; entered: number; gone: number }

/**
 * The part of a statement that reads `members`, and brings the stored members of an audience ($1) up to date as of a
 * time ($2). It records and counts each entry and exit. Profiles that changed since a transaction ($3; $4 is the
 * workspace) stay unchanged, because their evaluation may be outdated. The first computation ($5) has no earlier
 * members, and stores all.
 */
export const storeMembers = `, recent as materialized (
  select distinct unnest(profiles) as id from audience_touches where workspace_id = $4::uuid and transaction >= $3::bigint and not $5::boolean
), gone as (
  delete from audience_members m where m.audience_id = $1::uuid
    and not exists (select from members where members.id = m.profile_id)
    and not exists (select from recent where recent.id = m.profile_id) returning profile_id
), entered as (
  insert into audience_members (audience_id, profile_id, enter_time)
  select $1::uuid, id, $2::timestamptz from members where not exists (select from recent where recent.id = members.id)
  on conflict do nothing returning profile_id
), noted as (
  insert into audience_changes (audience_id, profile_id, kind, time)
  select $1::uuid, profile_id, 'left', $2::timestamptz from gone
  union all select $1::uuid, profile_id, 'entered', $2::timestamptz from entered
), counted as (
  select (select count(*) from entered)::int as entered, (select count(*) from gone)::int as gone
)
select (select count(*) from audience_members where audience_id = $1::uuid)::int + entered - gone as size, entered, gone
from counted`

/** Thrown if the audience no longer has the computed version, so that the result is discarded. */
export class Superseded extends Error {}

/**
 * Locks an audience against other changes of its members. Throws `Superseded` if its query has changed, or it is
 * paused.
 */
export const lockAudience = async (tx: Tx, { id, version }: Pick<AudienceRow, 'id' | 'version'>): Promise<void> => {
  const { rows } = await sql`
    select from audiences where id = ${id}::uuid and version = ${version} and state <> 'paused' for update`.execute(tx)
  if (rows.length === 0) throw new Superseded()
}

/**
 * Stores, in the transaction of `storeMembers`, that an audience was computed as of a time, with all changes before a
 * transaction (`mark`).
 */
export const storeCounts = async (
  tx: Tx,
  { id }: Pick<AudienceRow, 'id'>,
  asOf: Date,
  { size, entered, gone }: Counts,
  mark: string,
): Promise<void> => {
  await tx
    .updateTable('audiences')
    .set({
      state: 'live',
      failure: '',
      progress_step: null,
      progress_share: null,
      size,
      entered_count: entered,
      left_count: gone,
      as_of: sql<Date>`greatest(as_of, ${asOf}::timestamptz)`,
      whole_time: asOf,
      touched_before: mark,
    })
    .where('id', '=', id)
    .execute()
  await sql`
    insert into audience_hours (audience_id, hour, size, entered_count, left_count)
    values (${id}::uuid, date_trunc('hour', ${asOf}::timestamptz, 'UTC'), ${size}, ${entered}, ${gone})
    on conflict (audience_id, hour) do update set size = excluded.size,
      entered_count = audience_hours.entered_count + excluded.entered_count,
      left_count = audience_hours.left_count + excluded.left_count`.execute(tx)
}
