// Every statement that writes `audience_list_entries`. Audiences write the versions of a list, profiles remove the
// identifiers of erased people, and neither may import the other.
import { sql, type Transaction } from 'kysely'
import type { Database } from '../relational/schema.generated.ts'

type Tx = Transaction<Database>

/** A list and its new version. The version begins with the identifiers of version `base`, or empty if `base` is 0. */
export type NewListVersion = { workspaceId: string; audienceId: string; version: number; base: number }

/**
 * Writes the entries of a new version of a list: the identifiers of version `base` and of `add`, without those of
 * `remove`. They are given by their sequences. Identifiers that no profile has any more are left out. Resolves to the
 * size of the version, and to the number of entries of all versions.
 */
export const writeListEntries = async (
  tx: Tx,
  { workspaceId, audienceId, version, base }: NewListVersion,
  { add, remove }: { add: readonly string[]; remove: readonly string[] },
): Promise<{ size: number; kept: number }> => {
  const { rows } = await sql<{ size: number; kept: number }>`
    with asked as (
      (select unnest(${add}::bigint[]) as identifier
      union select identifier from audience_list_entries
      where audience_id = ${audienceId}::uuid and from_version <= ${base}::integer
        and (until_version is null or until_version > ${base}::integer))
      except select unnest(${remove}::bigint[])
    ), target as materialized (
      select i.sequence as identifier from asked
      join profile_identifiers i on i.workspace_id = ${workspaceId}::uuid and i.sequence = asked.identifier
    ), closed as (
      update audience_list_entries e set until_version = ${version}::integer
      where e.audience_id = ${audienceId}::uuid and e.until_version is null
        and not exists (select from target where target.identifier = e.identifier)
    ), opened as (
      insert into audience_list_entries (workspace_id, audience_id, identifier, from_version)
      select ${workspaceId}::uuid, ${audienceId}::uuid, identifier, ${version}::integer from target
      where not exists (select from audience_list_entries e where e.audience_id = ${audienceId}::uuid
        and e.until_version is null and e.identifier = target.identifier)
      returning identifier
    )
    select (select count(*) from target)::int as size, (select count(*) from opened)::int
      + (select count(*) from audience_list_entries where audience_id = ${audienceId}::uuid)::int as kept`.execute(tx)
  return rows[0] ?? { size: 0, kept: 0 }
}

/** Removes identifiers from all versions of the lists of a workspace. */
export const deleteListIdentifiers = async (
  tx: Tx,
  workspaceId: string,
  identifiers: readonly number[],
): Promise<void> => {
  await sql`
    delete from audience_list_entries
    where workspace_id = ${workspaceId}::uuid and identifier = any(${identifiers}::bigint[])`.execute(tx)
}

/** Removes the entries of a list that belong to none of the kept versions. */
export const deleteOldListEntries = async (tx: Tx, audienceId: string, kept: readonly number[]): Promise<void> => {
  await sql`
    delete from audience_list_entries e where e.audience_id = ${audienceId}::uuid and e.until_version is not null
      and not exists (select from unnest(${kept}::integer[]) as kept (version)
        where e.from_version <= kept.version and e.until_version > kept.version)`.execute(tx)
}
