import type { Db, Tx } from '@tributary/api-kit'
import type { ComputedTraitDefinition } from '@tributary/contract'
import type { EventStore } from '@tributary/storage'
import { sql } from 'kysely'
import { readSuppressed } from '../profiles/suppressed.ts'
import { compileComputedTrait, type Scope, type ValueRow, valueOf, windowMs } from './compile.ts'

/** What the event store knows a profile by: the first 8 bytes of its id. */
export const numberOfProfile = (profileId: string): bigint => BigInt(`0x${profileId.replaceAll('-', '').slice(0, 16)}`)

/** A value of a profile as JSON text, null when it is too large, and when time alone changes it (epoch ms). */
export type ComputedValue = { value: string | null; due: number | undefined }

/** Whom a trait is computed for. `profiles` are those of the scope, by their ids. */
export type Asked = {
  workspaceId: string
  definition: ComputedTraitDefinition
  profiles: readonly string[]
  scope: Scope
  /** Epoch ms. */
  asOf: number
  slot: 'short' | 'heavy'
  signal?: AbortSignal | undefined
}

/**
 * Computes a trait for profiles, by what is stored now; those without a value are not in the answer. Rejects as the event store
 * does.
 */
export const computeValues = async (
  { db, eventStore }: { db: Db; eventStore: Pick<EventStore, 'query'> },
  { workspaceId, definition, profiles, scope, asOf, slot, signal }: Asked,
): Promise<Map<string, ComputedValue>> => {
  if (profiles.length === 0) return new Map()
  const suppressed = await readSuppressed(db, [workspaceId])
  const { text, params } = compileComputedTrait(definition, { workspaceId, asOf, scope, suppressed })
  const rows = await eventStore.query<ValueRow>(text, params, {
    owner: workspaceId,
    slot,
    ...(signal === undefined ? {} : { signal }),
  })
  const idOf = new Map(profiles.map((id) => [String(numberOfProfile(id)), id]))
  const window = windowMs(definition)
  const values = new Map<string, ComputedValue>()
  for (const row of rows) {
    const id = idOf.get(row.profile)
    if (id === undefined) continue
    const due = window === undefined ? undefined : Number(row.edge) + window
    values.set(id, { value: valueOf(definition.operation, row), due })
  }
  return values
}

/**
 * Makes the stored values of profiles what was computed, in this transaction: each is a trait of the first identifier of its profile.
 * Those without a value have none then. What has not changed is not written. What events sent under the name is gone, and comes
 * again with them: the set that it was of is not known any more.
 */
export const writeValues = async (
  tx: Tx,
  { workspaceId, id, trait }: { workspaceId: string; id: string; trait: string },
  profiles: readonly string[],
  values: ReadonlyMap<string, ComputedValue>,
  asOf: number,
): Promise<void> => {
  if (profiles.length === 0) return
  const time = new Date(asOf).toISOString()
  const given = [...values].map(([profile, { value, due }]) => ({
    profile,
    value,
    due: due === undefined ? 'infinity' : new Date(due).toISOString(),
  }))
  await sql`
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
    )
    -- Audiences look at those again.
    insert into audience_touches (workspace_id, profiles)
    select ${workspaceId}::uuid, array_agg(distinct i.profile_id)
    from (select identifier from written union all select identifier from gone) as changed
    join profile_identifiers i on i.workspace_id = ${workspaceId}::uuid and i.sequence = changed.identifier
    where exists (select from audiences where workspace_id = ${workspaceId}::uuid)
    having count(*) > 0`.execute(tx)
}

/** Removes some values of a computed trait; false when there are none left. Audiences look at whom it removes them from. */
export const removeValues = async (
  db: Db,
  { workspaceId, id }: { workspaceId: string; id: string },
  most: number,
): Promise<boolean> => {
  const { rows } = await sql<{ n: string }>`
    with gone as (
      delete from profile_traits where ctid = any(array(
        select ctid from profile_traits where source_id = ${id}::uuid and due is not null limit ${most}))
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
