import type { Db, Tx } from '@tributary/api-kit'
import { type AudienceListChange, type AudienceQuery, audienceQuery, listLimits, listOf } from '@tributary/contract'
import { type Actor, badRequest } from '@tributary/kernel'
import type { AudienceListChangesTable } from '@tributary/storage'
import { type Insertable, sql } from 'kysely'
import { displayName } from '../../users/present.ts'

/** The query of an audience that is a list, as a version of it left the list. */
export const listQuery = (name: string, version: number): AudienceQuery =>
  audienceQuery.parse({
    groups: {
      list: { segments: [{ id: 'only', queries: [{ id: 'item', type: 'list', selectedList: { name, version } }] }] },
    },
  })

/** How the list of an audience was changed by a version; null for an audience without one. */
export const readListChange = async (
  db: Db,
  audienceId: string,
  version: number | undefined,
): Promise<AudienceListChange | null> => {
  if (version === undefined) return null
  const row = await db
    .selectFrom('audience_list_changes as c')
    .leftJoin('users', 'users.id', 'c.author_id')
    .select(['c.operation', 'c.kind', 'c.value_count', 'c.found_count', 'c.create_time'])
    .select(['users.email', 'users.first_name', 'users.last_name'])
    .where('c.audience_id', '=', audienceId)
    .where('c.version', '=', version)
    .executeTakeFirst()
  if (row === undefined) return null
  const { operation, kind, value_count, found_count, create_time, email, first_name, last_name } = row
  return {
    operation,
    kind,
    value_count,
    found_count,
    time: create_time.toISOString(),
    author: email === null ? '' : displayName({ email, first_name: first_name ?? '', last_name: last_name ?? '' }),
  }
}

/** A list in the version that changes it, `base` being the version whose identifiers it begins with; undefined for none of them. */
export type ListVersion = { workspaceId: string; audienceId: string; version: number; base: number | undefined }

/**
 * Writes who is on a list from a version on: those of `base` and `add`, without `remove`, all by the sequences of their identifiers. What
 * profiles no longer know is left out. Throws 400 for a list that gets too long, by itself or with its versions.
 */
export const storeEntries = async (
  tx: Tx,
  { workspaceId, audienceId, version, base = 0 }: ListVersion,
  { add, remove }: { add: readonly string[]; remove: readonly string[] },
): Promise<void> => {
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
  const { size = 0, kept = 0 } = rows[0] ?? {}
  if (size > listLimits.identifiers)
    throw badRequest('LIMIT_REACHED', `A list can have at most ${listLimits.identifiers} identifiers`)
  if (kept > listLimits.kept)
    throw badRequest('LIMIT_REACHED', 'The versions of this list have too many identifiers. Create another audience')
}

/** Writes down how a list was changed. */
export const storeListChange = async (
  tx: Tx,
  by: { actor: Actor; time: Date },
  change: Omit<Insertable<AudienceListChangesTable>, 'author_id' | 'create_time'>,
): Promise<void> => {
  await tx
    .insertInto('audience_list_changes')
    .values({ ...change, author_id: by.actor.userId, create_time: by.time })
    .execute()
}

/** Removes what no kept version of an audience has of its list any more. */
export const forgetOldLists = async (tx: Tx, audienceId: string): Promise<void> => {
  const rows = await tx.selectFrom('audience_versions').select('query').where('audience_id', '=', audienceId).execute()
  const kept = rows.flatMap(({ query }) => listOf(audienceQuery.parse(JSON.parse(query)))?.version ?? [])
  await sql`
    delete from audience_list_entries e where e.audience_id = ${audienceId}::uuid and e.until_version is not null
      and not exists (select from unnest(${kept}::integer[]) as kept (version)
        where e.from_version <= kept.version and e.until_version > kept.version)`.execute(tx)
  await sql`
    delete from audience_list_changes
    where audience_id = ${audienceId}::uuid and version <> all(${kept}::integer[])`.execute(tx)
}

/** Throws 400 for a query that would put conditions in place of a list, a list in place of conditions, or names another list. */
export const checkList = async (
  tx: Tx,
  audience: { id: string; query: string },
  query: AudienceQuery,
): Promise<void> => {
  const refuse = (text: string): Error => badRequest('VALIDATION', text, { query: text })
  const [own, asked] = [listOf(audienceQuery.parse(JSON.parse(audience.query))), listOf(query)]
  if (own === undefined && asked === undefined) return
  if (asked === undefined) throw refuse('An audience from a list has no conditions. Create another audience')
  const known = await tx
    .selectFrom('audience_list_changes')
    .select('version')
    .where('audience_id', '=', audience.id)
    .where('version', '=', asked.version)
    .executeTakeFirst()
  if (known === undefined) throw refuse('This query names a version of a list that does not exist')
}
