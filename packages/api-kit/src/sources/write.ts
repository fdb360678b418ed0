// Contains every statement that writes `sources`. The API creates and changes sources; billing sets whether they hold
// events that exceed the plan.
import type { SourcesTable } from '@tributary/storage'
import type { Insertable, Updateable } from 'kysely'
import type { Tx } from '../db.ts'

/** Inserts a source. Returns false if its ID already exists. */
export const insertSource = async (tx: Tx, values: Insertable<SourcesTable>): Promise<boolean> => {
  const made = await tx
    .insertInto('sources')
    .values(values)
    .onConflict((conflicting) => conflicting.column('id').doNothing())
    .returning('id')
    .executeTakeFirst()
  return made !== undefined
}

/** Changes a source. */
export const setSource = async (tx: Tx, id: string, change: Updateable<SourcesTable>): Promise<void> => {
  await tx.updateTable('sources').set(change).where('id', '=', id).execute()
}

/** Marks a source as deleted at a time; false if it is already marked. */
export const markSourceDeleted = async (tx: Tx, id: string, time: Date): Promise<boolean> => {
  const deleted = await tx
    .updateTable('sources')
    .set({ delete_time: time, update_time: time })
    .where('id', '=', id)
    .where('delete_time', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return deleted !== undefined
}

/** Marks the sources of workspaces as deleted at a time, and removes their secrets. */
export const closeSources = async (tx: Tx, workspaces: readonly string[], time: Date): Promise<void> => {
  await tx
    .updateTable('sources')
    .set({ delete_time: time, update_time: time, secrets_encrypted: null })
    .where('workspace_id', 'in', workspaces)
    .where('delete_time', 'is', null)
    .execute()
}

/** Sets whether the sources of workspaces hold their events. Sources already in that state are unchanged. */
export const setSourcesHeld = async (tx: Tx, workspaces: readonly string[], held: boolean): Promise<void> => {
  if (workspaces.length === 0) return
  await tx
    .updateTable('sources')
    .set({ held })
    .where('workspace_id', 'in', workspaces)
    .where('held', '!=', held)
    .where('delete_time', 'is', null)
    .execute()
}
