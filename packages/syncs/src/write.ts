import type { Tx } from '@tributary/api-kit'
import type { SyncsTable } from '@tributary/storage'
import type { Insertable, Updateable } from 'kysely'

/** Inserts a sync. */
export const insertSync = async (tx: Tx, values: Insertable<SyncsTable>): Promise<void> => {
  await tx.insertInto('syncs').values(values).execute()
}

/** Changes a sync; returns false if it does not exist. */
export const setSync = async (tx: Tx, id: string, change: Updateable<SyncsTable>): Promise<boolean> =>
  (await tx.updateTable('syncs').set(change).where('id', '=', id).returning('id').executeTakeFirst()) !== undefined

/** Deletes a sync with its runs; returns false if it does not exist. */
export const removeSync = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.deleteFrom('syncs').where('id', '=', id).returning('id').executeTakeFirst()) !== undefined

/** Deletes the syncs to a destination or source, or of workspaces. */
export const removeSyncsOf = async (
  tx: Tx,
  column: 'destination_id' | 'source_id' | 'workspace_id',
  ids: readonly string[],
): Promise<void> => {
  await tx.deleteFrom('syncs').where(column, 'in', ids).execute()
}
