import type { Tx } from '@tributary/api-kit'
import type { ComputedTraitsTable } from '@tributary/storage'
import { type Insertable, sql, type Updateable } from 'kysely'

/**
 * Inserts a computed trait. If it is the first of its workspace, merges and splits of profiles are followed from now
 * on.
 */
export const insertComputedTrait = async (tx: Tx, values: Insertable<ComputedTraitsTable>): Promise<void> => {
  await tx.insertInto('computed_traits').values(values).execute()
  await sql`
    insert into computed_trait_places (workspace_id, sequence)
    select ${values.workspace_id}::uuid, coalesce(
      (select sequence from identity_ledgers where workspace_id = ${values.workspace_id}::uuid), 0)
    on conflict do nothing`.execute(tx)
}

/** Changes a computed trait. */
export const setComputedTrait = async (tx: Tx, id: string, change: Updateable<ComputedTraitsTable>): Promise<void> => {
  await tx.updateTable('computed_traits').set(change).where('id', '=', id).execute()
}

/**
 * Marks a computed trait as deleted at a time; returns false if it is already marked. The worker removes its values.
 */
export const markTraitDeleted = async (tx: Tx, id: string, time: Date): Promise<boolean> => {
  const { numUpdatedRows } = await tx
    .updateTable('computed_traits')
    .set({ delete_time: time })
    .where('id', '=', id)
    .where('delete_time', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
