// Contains every statement that writes `workspaces`: the API makes and changes them, billing keeps their usage.
import type { WorkspacesTable } from '@tributary/storage'
import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Db, Tx } from '../db.ts'

/** Inserts a workspace; resolves to its row. */
export const insertWorkspace = (tx: Tx, values: Insertable<WorkspacesTable>): Promise<Selectable<WorkspacesTable>> =>
  tx.insertInto('workspaces').values(values).returningAll().executeTakeFirstOrThrow()

/** Inserts a workspace. Returns false if its ID already exists. */
export const insertWorkspaceOnce = async (tx: Tx, values: Insertable<WorkspacesTable>): Promise<boolean> => {
  const made = await tx
    .insertInto('workspaces')
    .values(values)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst()
  return made !== undefined
}

/** Changes a workspace. */
export const setWorkspace = async (db: Db, id: string, change: Updateable<WorkspacesTable>): Promise<void> => {
  await db.updateTable('workspaces').set(change).where('id', '=', id).execute()
}

/** Deletes the row of a workspace, with all rows that refer to it. */
export const removeWorkspace = async (db: Db, id: string): Promise<void> => {
  await db.deleteFrom('workspaces').where('id', '=', id).execute()
}

/** Marks the usage of a deleted workspace as stored at a time; false if it is already marked. */
export const markUsageKept = async (tx: Tx, id: string, time: Date): Promise<boolean> => {
  const { numUpdatedRows } = await tx
    .updateTable('workspaces')
    .set({ usage_kept_time: time })
    .where('id', '=', id)
    .where('usage_kept_time', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
