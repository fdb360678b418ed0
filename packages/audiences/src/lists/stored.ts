import { type Db, displayName, type Tx } from '@tributary/api-kit'
import { type AudienceListChange, type AudienceQuery, audienceQuery, listLimits, listOf } from '@tributary/contract'
import { type Actor, badRequest } from '@tributary/kernel'
import { type AudienceListChangesTable, deleteOldListEntries, writeListEntries } from '@tributary/storage'
import { type Insertable, sql } from 'kysely'

/** Returns the query of an audience that is a list, for one version of the list. */
export const listQuery = (name: string, version: number): AudienceQuery =>
  audienceQuery.parse({
    groups: {
      list: { segments: [{ id: 'only', queries: [{ id: 'item', type: 'list', selectedList: { name, version } }] }] },
    },
  })

/** Reads the change to the list of an audience in a version; null for an audience without a list. */
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

/**
 * A list and its new version. The new version starts with the identifiers of the version `base`, or empty if `base` is
 * undefined.
 */
export type ListVersion = { workspaceId: string; audienceId: string; version: number; base: number | undefined }

/**
 * Writes the entries of a new version of a list: those of its base version, with `add` and without `remove`. Entries
 * refer to identifiers by their sequence numbers. Identifiers that no longer have a profile are omitted. Throws 400 if
 * the version, or all versions together, have too many entries.
 */
export const storeEntries = async (
  tx: Tx,
  version: ListVersion,
  change: { add: readonly string[]; remove: readonly string[] },
): Promise<void> => {
  const { size, kept } = await writeListEntries(tx, { ...version, base: version.base ?? 0 }, change)
  if (size > listLimits.identifiers)
    throw badRequest('LIMIT_REACHED', `A list can have at most ${listLimits.identifiers} identifiers`)
  if (kept > listLimits.kept)
    throw badRequest('LIMIT_REACHED', 'The versions of this list have too many identifiers. Create another audience')
}

/** Stores the change to a list. */
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

/** Removes entries of a list that are in no stored version of its audience. */
export const forgetOldLists = async (tx: Tx, audienceId: string): Promise<void> => {
  const rows = await tx.selectFrom('audience_versions').select('query').where('audience_id', '=', audienceId).execute()
  const kept = rows.flatMap(({ query }) => listOf(audienceQuery.parse(JSON.parse(query)))?.version ?? [])
  await deleteOldListEntries(tx, audienceId, kept)
  await sql`
    delete from audience_list_changes
    where audience_id = ${audienceId}::uuid and version <> all(${kept}::integer[])`.execute(tx)
}

/** Throws 400 if a query replaces a list by conditions, replaces conditions by a list, or names another list. */
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
