// Every statement that writes `computed_trait_changes`: the profiles whose computed traits must be computed again.
// Profiles record events, audiences record merges and delete computed changes, and neither may import the other.
import { type Kysely, sql, type Transaction } from 'kysely'
import type { Database } from '../relational/schema.generated.ts'

/** A computed trait that an event changes, and the identifier of the profile. */
export type ComputedTraitChange = {
  readonly workspace: string
  readonly trait: string
  readonly type: string
  readonly value: string
  /** The offset of the request with the last such event. */
  readonly at: number
}

/**
 * Records changes by the events of a partition. If a change is already recorded, it gets a new serial, so that earlier
 * marks no longer settle it.
 */
export const recordComputedTraitChanges = async (
  db: Kysely<Database>,
  changes: readonly ComputedTraitChange[],
  partition: number,
): Promise<void> => {
  await sql`
    insert into computed_trait_changes (trait_id, identifier, log_partition, log_offset)
    select t.id, i.sequence, ${partition}::integer, row.at
    from json_to_recordset(${JSON.stringify(changes)}::json) as row
      (workspace uuid, trait uuid, type text, value text, at bigint)
    join computed_traits t on t.id = row.trait
    join profile_identifiers i on i.workspace_id = row.workspace and i.value = row.value and i.type = row.type
    order by t.id, i.sequence
    on conflict (trait_id, identifier, log_partition) do update set
      serial = excluded.serial, log_offset = excluded.log_offset`.execute(db)
}

/** The partition of a change that no event has caused. */
export const withoutRequest = -1

/**
 * Records that traits must be computed again for the profiles of merges and splits. These are the entries of the ledger
 * after `after` up to `upTo`.
 */
export const recordMovedProfiles = async (
  tx: Transaction<Database>,
  workspaceId: string,
  traits: readonly string[],
  { after, upTo }: { after: number; upTo: number },
): Promise<void> => {
  await sql`
    with moved as (
      select p.id from identity_operations o join profiles p
        on p.workspace_id = o.workspace_id and p.id in (o.profile_id, o.other_id) and p.merged_into is null
      where o.workspace_id = ${workspaceId}::uuid and o.sequence > ${after} and o.sequence <= ${upTo}
        and o.kind in ('merge','split')
      group by p.id
    ), bearers as (
      select min(i.sequence) as identifier from moved join profile_identifiers i
        on i.workspace_id = ${workspaceId}::uuid and i.profile_id = moved.id
      group by moved.id
    )
    insert into computed_trait_changes (trait_id, identifier, log_partition, log_offset)
    select trait.id, identifier, ${withoutRequest}, -1
    from bearers cross join unnest(${traits}::uuid[]) as trait (id)
    on conflict (trait_id, identifier, log_partition) do update set serial = excluded.serial`.execute(tx)
}

/** The mark of a change that is computed. It settles the change, unless a later change has given it another serial. */
export type ComputedChangeMark = { identifier: string; log_partition: number; serial: string }

/** Deletes the changes whose values are computed, except changes that were recorded again since then. */
export const settleComputedTraitChanges = async (
  db: Kysely<Database>,
  id: string,
  changes: readonly ComputedChangeMark[],
): Promise<void> => {
  if (changes.length === 0) return
  // A row that another transaction is writing now stays.
  await sql`
    delete from computed_trait_changes where ctid = any(array(
      select c.ctid from computed_trait_changes c
      join json_to_recordset(${JSON.stringify(changes)}::json) as done (identifier bigint, log_partition integer, serial bigint)
        on c.identifier = done.identifier and c.log_partition = done.log_partition and c.serial = done.serial
      where c.trait_id = ${id}::uuid for update of c skip locked))`.execute(db)
}
