import type { Db } from '@tributary/api-kit'
import type { DataRow } from '@tributary/connector-kit'
import { sql } from 'kysely'

/** The columns that each profile has; traits with these names are omitted, except email and phone. */
export const identifierColumns = ['profile_id', 'user_id', 'anonymous_id', 'email', 'phone'] as const

/** An audience whose memberships are a column. While it was never computed, nothing is known of them. */
export type AudienceColumn = { id: string; title: string; is_computed: boolean }

/** Returns the name of the column that says whether a profile is in an audience, as mappings of events name it. */
export const audienceColumn = ({ id }: Pick<AudienceColumn, 'id'>): string => `audiences.${id}`

/** Reads the audiences of a workspace by their titles. */
export const readAudiences = async (db: Db, workspaceId: string, limit: number): Promise<readonly AudienceColumn[]> => {
  const { rows } = await sql<AudienceColumn>`
    select id::text as id, title, as_of is not null as is_computed from audiences
    where workspace_id = ${workspaceId}::uuid order by lower(title), id limit ${limit}`.execute(db)
  return rows
}

/**
 * A profile: the first-seen identifier of each kind, its traits as JSON texts, and the IDs of its audiences if they were
 * asked for.
 */
export type Person = {
  id: string
  identifiers: Readonly<Record<string, string>> | null
  traits: Readonly<Record<string, string | null>> | null
  audiences?: readonly string[] | null
}

/** Reads the names of all traits of a workspace in their order, including computed traits that no profile has yet. */
export const readTraitNames = async (db: Db, workspaceId: string, limit: number): Promise<readonly string[]> => {
  const { rows } = await sql<{ name: string }>`
    select name from profile_traits where workspace_id = ${workspaceId}::uuid and name <> '' group by name
    union
    select trait from computed_traits where workspace_id = ${workspaceId}::uuid and delete_time is null`.execute(db)
  return rows
    .map(({ name }) => name)
    .filter((name) => !identifierColumns.some((column) => column === name))
    .toSorted()
    .slice(0, limit)
}

/**
 * Reads the next profiles in the order of their IDs, of an audience or of the workspace. Profiles with a suppressed
 * identifier are omitted.
 */
export const pageOfPeople = async (
  db: Db,
  workspaceId: string,
  {
    audience,
    after,
    limit,
    memberships,
  }: { audience: string | undefined; after: string | undefined; limit: number; memberships: boolean },
): Promise<Person[]> => {
  const members =
    audience === undefined
      ? sql``
      : sql`join audience_members m on m.audience_id = ${audience}::uuid and m.profile_id = p.id`
  const audiences = memberships
    ? sql`(select json_agg(m.audience_id) from audience_members m where m.profile_id = page.id)`
    : sql`null::json`
  const { rows } = await sql<Person>`
    select page.id, ${audiences} as audiences, (
        select json_object_agg(found.type, found.value) from (
          select distinct on (i.type) i.type, i.value from profile_identifiers i
          where i.workspace_id = ${workspaceId}::uuid and i.profile_id = page.id order by i.type, i.sequence) as found
      ) as identifiers, (
        select json_object_agg(found.name, found.value) from (
          select distinct on (t.name) t.name, t.value from profile_identifiers i
          join current_traits t on t.workspace_id = i.workspace_id and t.identifier = i.sequence
          where i.workspace_id = ${workspaceId}::uuid and i.profile_id = page.id and t.name <> ''
          order by t.name, t.time desc, t.event_id desc) as found
      ) as traits
    from (
      select p.id from profiles p ${members}
      where p.workspace_id = ${workspaceId}::uuid and p.merged_into is null
        and (${after ?? null}::uuid is null or p.id > ${after ?? null}::uuid)
        and not exists (
          select from profile_identifiers i
          join privacy_hashes h on h.workspace_id = i.workspace_id and h.identifier = i.sequence
          where i.workspace_id = ${workspaceId}::uuid and i.profile_id = p.id and h.suppress_time is not null)
      order by p.id limit ${limit}) as page
    order by page.id`.execute(db)
  return rows
}

/** Returns the text of a trait; null if it is absent or not a text. */
const textOf = (json: string | null | undefined): string | null =>
  json?.startsWith('"') === true ? String(JSON.parse(json)) : null

/**
 * Returns a profile as a row: its identifiers, these traits, and whether it is in these audiences. The columns `email`
 * and `phone` have the trait's value, or the identifier if the trait is absent.
 */
export const rowOf = (
  { id, identifiers, traits, audiences: own }: Person,
  names: readonly string[],
  audiences: readonly AudienceColumn[] = [],
): DataRow => {
  const contact = (kind: 'email' | 'phone'): string | null => textOf(traits?.[kind]) ?? identifiers?.[kind] ?? null
  const known = [
    id,
    identifiers?.user_id ?? null,
    identifiers?.anonymous_id ?? null,
    contact('email'),
    contact('phone'),
  ]
  return [
    ...known,
    ...names.map((name) => (traits?.[name] === 'null' ? null : (traits?.[name] ?? null))),
    ...audiences.map((each) => (each.is_computed ? String(own?.includes(each.id) === true) : null)),
  ]
}
