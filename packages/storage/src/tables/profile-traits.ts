// Every statement that writes `profile_traits` and `profile_trait_sets`. Profiles store traits of events, audiences
// store values of computed traits, and neither may import the other. One statement writes a computed value, clears the
// set of the value that it replaces, and records that its profile has changed.
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Database } from '../relational/schema.generated.ts'

type Tx = Transaction<Database>

/** The event that set a value; `time` is RFC 3339. */
type Giver = { readonly time: string; readonly event_id: string; readonly source_id: string }

/**
 * A new value of a trait. Identifiers are the sequences of the operations that added them. Values are JSON text; null
 * if they are too large.
 */
export type NewTrait = Giver & {
  readonly identifier: number
  readonly name: string
  readonly value: string | null
  readonly set_id: string
  /** Values between the stored one and the new one, latest first. */
  readonly earlier: readonly (Giver & { readonly value: string | null })[]
}

/** The set of traits whose latest values come from the same event. */
export type NewTraitSet = Giver & { readonly identifier: number; readonly id: string; readonly content: string }

/** Gives stored sets with these contents a later time. Resolves to the identifiers that have such a set. */
export const moveTraitSets = async (
  tx: Tx,
  workspaceId: string,
  rows: readonly (Giver & { identifier: number; content: string })[],
): Promise<Set<number>> => {
  const { rows: known } = await sql<{ identifier: string }>`
    with given as (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as row
        (identifier bigint, content uuid, time timestamptz, event_id text, source_id uuid)),
    known as materialized (
      select given.*, s.place, (given.time, given.event_id) > (s.time, s.event_id) as is_later
      from given cross join lateral (
        select ctid as place, time, event_id from profile_trait_sets
        where workspace_id = ${workspaceId}::uuid and identifier = given.identifier and content = given.content
        limit 1) s),
    moved as (
      update profile_trait_sets s
      set time = known.time, event_id = known.event_id, source_id = known.source_id
      from known where s.ctid = known.place and known.is_later)
    select identifier from known`.execute(tx)
  return new Set(known.map(({ identifier }) => Number(identifier)))
}

/** Writes traits, each with up to `maxEarlier` earlier values. */
export const writeProfileTraits = async (
  tx: Tx,
  workspaceId: string,
  traits: readonly NewTrait[],
  maxEarlier: number,
): Promise<void> => {
  if (traits.length === 0) return
  await sql`
    insert into profile_traits (workspace_id, identifier, name, value, time, event_id, source_id, set_id, earlier)
    select ${workspaceId}::uuid, identifier, name, value, time, event_id, source_id, set_id, earlier
    from json_to_recordset(${JSON.stringify(traits)}::json) as row
      (identifier bigint, name text, value text, time timestamptz, event_id text, source_id uuid, set_id uuid, earlier jsonb)
    on conflict (workspace_id, identifier, name) do update set
      value = excluded.value, time = excluded.time, event_id = excluded.event_id, source_id = excluded.source_id,
      set_id = excluded.set_id,
      earlier = case when excluded.earlier = '[]' then profile_traits.earlier
        else jsonb_path_query_array(excluded.earlier || profile_traits.earlier,
          ${`$[0 to ${maxEarlier - 1}]`}::jsonpath) end`.execute(tx)
}

/** Writes sets of traits. */
export const writeTraitSets = async (tx: Tx, workspaceId: string, made: readonly NewTraitSet[]): Promise<void> => {
  await sql`
    insert into profile_trait_sets (workspace_id, identifier, id, content, time, event_id, source_id)
    select ${workspaceId}::uuid, identifier, id, content, time, event_id, source_id
    from json_to_recordset(${JSON.stringify(made)}::json) as row
      (identifier bigint, id uuid, content uuid, time timestamptz, event_id text, source_id uuid)
    on conflict (workspace_id, identifier, id) do update set content = excluded.content, time = excluded.time,
      event_id = excluded.event_id, source_id = excluded.source_id`.execute(tx)
}

/**
 * Updates sets that lost traits. A set without traits is deleted. The content of any other set is cleared, because it
 * no longer applies.
 */
export const reduceTraitSets = async (
  tx: Tx,
  workspaceId: string,
  left: readonly { identifier: number; id: string }[],
): Promise<void> => {
  if (left.length === 0) return
  await sql`
    with reduced as materialized (
      select s.ctid as place, exists (
        select from profile_traits t where t.workspace_id = ${workspaceId}::uuid
          and t.identifier = left_set.identifier and t.set_id = left_set.id) as has_more
      from json_to_recordset(${JSON.stringify(left)}::json) as left_set (identifier bigint, id uuid)
      cross join lateral (
        select ctid from profile_trait_sets where workspace_id = ${workspaceId}::uuid
          and identifier = left_set.identifier and id = left_set.id limit 1) s),
    emptied as (
      delete from profile_trait_sets s using reduced where s.ctid = reduced.place and not reduced.has_more)
    update profile_trait_sets s set content = null from reduced where s.ctid = reduced.place and reduced.has_more
    `.execute(tx)
}

/** Removes the traits and the sets of traits of identifiers. */
export const deleteProfileTraits = async (
  tx: Tx,
  workspaceId: string,
  identifiers: readonly number[],
): Promise<void> => {
  await sql`delete from profile_traits
    where workspace_id = ${workspaceId}::uuid and identifier = any(${identifiers}::bigint[])`.execute(tx)
  await sql`delete from profile_trait_sets
    where workspace_id = ${workspaceId}::uuid and identifier = any(${identifiers}::bigint[])`.execute(tx)
}

/**
 * A computed value of a profile as JSON text (null if it is too large), and the time when it changes without an event
 * (epoch ms).
 */
export type ComputedValue = { value: string | null; due: number | undefined }

/**
 * Stores the computed values of profiles in this transaction, each as a trait of the profile's first identifier.
 * Profiles without a value lose theirs. Unchanged values are not written. A computed value replaces a trait of the same
 * name that events have set. That trait comes back only with the next such event, because the earlier values of the
 * profile are no longer known. Resolves to the profiles whose values changed.
 */
export const writeComputedValues = async (
  tx: Tx,
  { workspaceId, id, trait }: { workspaceId: string; id: string; trait: string },
  profiles: readonly string[],
  values: ReadonlyMap<string, ComputedValue>,
  asOf: number,
): Promise<string[]> => {
  if (profiles.length === 0) return []
  const time = new Date(asOf).toISOString()
  const given = [...values].map(([profile, { value, due }]) => ({
    profile,
    value,
    due: due === undefined ? 'infinity' : new Date(due).toISOString(),
  }))
  const { rows } = await sql<{ profile_id: string }>`
    with bearers as materialized (
      select profile_id, min(sequence) as identifier from profile_identifiers
      where workspace_id = ${workspaceId}::uuid and profile_id = any(${profiles}::uuid[]) group by profile_id
    ), given as materialized (
      select bearers.identifier, row.value, row.due
      from json_to_recordset(${JSON.stringify(given)}::json) as row (profile uuid, value text, due timestamptz)
      join bearers on bearers.profile_id = row.profile
    ), gone as (
      delete from profile_traits t using profile_identifiers i
      where i.workspace_id = ${workspaceId}::uuid and i.profile_id = any(${profiles}::uuid[])
        and t.workspace_id = i.workspace_id and t.identifier = i.sequence and t.name = ${trait}
        and t.source_id = ${id}::uuid and t.due is not null
        and not exists (select from given where given.identifier = t.identifier) returning t.identifier
    ), overtaken as (
      update profile_trait_sets s set content = null
      from given join profile_traits t on t.identifier = given.identifier
      where t.workspace_id = ${workspaceId}::uuid and t.name = ${trait} and t.due is null
        and s.workspace_id = t.workspace_id and s.identifier = t.identifier and s.id = t.set_id
    ), written as (
    insert into profile_traits (workspace_id, identifier, name, value, time, event_id, source_id, due)
    select ${workspaceId}::uuid, identifier, ${trait}, value, 'infinity', ${time}, ${id}::uuid, due
    from given order by identifier
    on conflict (workspace_id, identifier, name) do update set value = excluded.value, time = excluded.time,
      event_id = case when profile_traits.due is not null and profile_traits.value is not distinct from excluded.value
        then profile_traits.event_id else excluded.event_id end,
      source_id = excluded.source_id, due = excluded.due, set_id = null, earlier = '[]'
    where (profile_traits.value, profile_traits.due, profile_traits.source_id)
      is distinct from (excluded.value, excluded.due, excluded.source_id) returning identifier
    ), changed as materialized (
      select distinct i.profile_id
      from (select identifier from written union all select identifier from gone) as changed
      join profile_identifiers i on i.workspace_id = ${workspaceId}::uuid and i.sequence = changed.identifier
    ), touched as (
      -- Audiences look at those again.
      insert into audience_touches (workspace_id, profiles)
      select ${workspaceId}::uuid, array_agg(profile_id) from changed
      where exists (select from audiences where workspace_id = ${workspaceId}::uuid)
      having count(*) > 0
    )
    select profile_id from changed`.execute(tx)
  return rows.map(({ profile_id }) => profile_id)
}

/**
 * Removes up to `maxValues` values of a computed trait. Returns false if there were none. Audiences evaluate the
 * profiles of the removed values again.
 */
export const removeComputedValues = async (
  db: Kysely<Database>,
  { workspaceId, id }: { workspaceId: string; id: string },
  maxValues: number,
): Promise<boolean> => {
  const { rows } = await sql<{ n: string }>`
    with gone as (
      delete from profile_traits where ctid = any(array(
        select ctid from profile_traits where source_id = ${id}::uuid and due is not null limit ${maxValues}))
      returning identifier
    ), touched as (
      insert into audience_touches (workspace_id, profiles)
      select ${workspaceId}::uuid, array_agg(distinct i.profile_id)
      from gone join profile_identifiers i on i.workspace_id = ${workspaceId}::uuid and i.sequence = gone.identifier
      where exists (select from audiences where workspace_id = ${workspaceId}::uuid)
      having count(*) > 0
    )
    select count(*) as n from gone`.execute(db)
  return Number(rows[0]?.n ?? 0) > 0
}
