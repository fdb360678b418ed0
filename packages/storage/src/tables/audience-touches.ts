// Every statement that writes only `audience_touches`: the profiles that changed, so that audiences evaluate them
// again. Profiles record touches, audiences clear them, and neither may import the other.
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Database } from '../relational/schema.generated.ts'

/** An identifier in an event, and the workspace of the event. */
export type TouchedIdentifier = { readonly workspace: string; readonly type: string; readonly value: string }

/**
 * Records that the profiles of these identifiers have changed, by workspace. Unknown identifiers are skipped. `offset`
 * is that of the last request with their events, in `partition`: audiences wait until that request is stored. Can be
 * repeated.
 */
export const recordTouches = async (
  db: Kysely<Database>,
  identifiers: readonly TouchedIdentifier[],
  { partition, offset }: { partition: number | null; offset: number | null },
): Promise<void> => {
  await sql`
    insert into audience_touches (workspace_id, profiles, log_partition, log_offset)
    select asked.workspace, array_agg(distinct found.profile_id), ${partition}::integer, ${offset}::bigint
    from unnest(${identifiers.map(({ workspace }) => workspace)}::uuid[], ${identifiers.map(({ type }) => type)}::text[],
      ${identifiers.map(({ value }) => value)}::text[]) as asked (workspace, type, value)
    cross join lateral (
      select profile_id from profile_identifiers
      where workspace_id = asked.workspace and value = asked.value and type = asked.type limit 1) found
    group by asked.workspace`.execute(db)
}

/** Records changed profiles in this transaction, if the workspace has audiences. */
export const touchProfiles = async (
  tx: Transaction<Database>,
  workspaceId: string,
  profiles: readonly string[],
): Promise<void> => {
  if (profiles.length === 0) return
  await sql`
    insert into audience_touches (workspace_id, profiles)
    select ${workspaceId}::uuid, ${profiles}::uuid[]
    where exists (select from audiences where workspace_id = ${workspaceId}::uuid)`.execute(tx)
}

/**
 * Removes touches that every audience has taken into account, and touches older than half an hour. Audiences find
 * changes that are older than that in a complete computation.
 */
export const clearTouches = (db: Kysely<Database>): Promise<unknown> =>
  sql`
    delete from audience_touches t where time < now() - interval '1 minute' and (
      time < now() - interval '30 minutes' or not exists (
        select from audiences a where a.workspace_id = t.workspace_id and a.touched_before <= t.transaction))`.execute(
    db,
  )
