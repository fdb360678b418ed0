import { type AcceptedEvent, type Database, requestPlaceOf } from '@tributary/storage'
import { type Kysely, sql } from 'kysely'
import type { Identifier } from './identifiers.ts'
import type { Entry, LedgerTx } from './ledger.ts'

/** Whom events are about, by workspace. */
export type Touched = ReadonlyMap<string, ReadonlyMap<string, Identifier>>

/** Of some workspaces those with audiences, which hear of every profile that something happened to. */
export const readFollowed = async (
  db: Kysely<Database>,
  workspaceIds: readonly string[],
): Promise<ReadonlySet<string>> => {
  const { rows } = await sql<{ workspace_id: string }>`
    select distinct workspace_id from audiences where workspace_id = any(${workspaceIds}::uuid[])`.execute(db)
  return new Set(rows.map(({ workspace_id }) => workspace_id))
}

/** The offset of the last request that events are of; null of none. Not all come in the order of the log: some workspaces are overtaken by others. */
const lastOffset = (events: readonly AcceptedEvent[]): number | null => {
  const places = events.map(({ eventId }) => requestPlaceOf(eventId))
  const newest = places.at(-1)?.incarnation
  return places.reduce<number | null>(
    (last, { incarnation, offset }) => (incarnation === newest ? Math.max(last ?? 0, offset) : last),
    null,
  )
}

/**
 * Notes the profiles of whom the events of a partition are about, once they are known: audiences look at them again when the last of the
 * events is stored. Noted twice is the same as once.
 */
export const writeTouches = async (
  db: Kysely<Database>,
  touched: Touched,
  { partition, events }: { partition: number | undefined; events: readonly AcceptedEvent[] },
): Promise<void> => {
  const all = [...touched].flatMap(([workspace, identifiers]) =>
    [...identifiers.values()].map(({ type, value }) => ({ workspace, type, value })),
  )
  if (all.length === 0) return
  const offset = partition === undefined ? null : lastOffset(events)
  await sql`
    insert into audience_touches (workspace_id, profiles, log_partition, log_offset)
    select asked.workspace, array_agg(distinct found.profile_id), ${partition ?? null}::integer, ${offset}::bigint
    from unnest(${all.map(({ workspace }) => workspace)}::uuid[], ${all.map(({ type }) => type)}::text[],
      ${all.map(({ value }) => value)}::text[]) as asked (workspace, type, value)
    cross join lateral (
      select profile_id from profile_identifiers
      where workspace_id = asked.workspace and value = asked.value and type = asked.type limit 1) found
    group by asked.workspace`.execute(db)
}

/** Notes profiles in this transaction, where the workspace has audiences. */
export const touchProfiles = async (tx: LedgerTx, workspaceId: string, profiles: readonly string[]): Promise<void> => {
  if (profiles.length === 0) return
  await sql`
    insert into audience_touches (workspace_id, profiles)
    select ${workspaceId}::uuid, ${profiles}::uuid[]
    where exists (select from audiences where workspace_id = ${workspaceId}::uuid)`.execute(tx)
}

/** Takes identifiers off the lists of audiences, in this transaction, of all their versions. */
export const leaveLists = async (tx: LedgerTx, workspaceId: string, identifiers: readonly number[]): Promise<void> => {
  await sql`
    delete from audience_list_entries
    where workspace_id = ${workspaceId}::uuid and identifier = any(${identifiers}::bigint[])`.execute(tx)
}

/** Notes in the transaction of a ledger the profiles whose identifiers went elsewhere: merged, split, or erased ones. */
export const touchMoved = (tx: LedgerTx, workspaceId: string, entries: readonly Entry[]): Promise<void> => {
  const moved = entries.flatMap(({ operation }) => {
    switch (operation.kind) {
      case 'merge':
        return [operation.profile, operation.merged]
      case 'split':
        return [operation.profile, operation.made]
      case 'erase':
        return [operation.profile]
      default:
        return []
    }
  })
  return touchProfiles(tx, workspaceId, [...new Set(moved)])
}
