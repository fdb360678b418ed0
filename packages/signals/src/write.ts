import type { Tx } from '@tributary/api-kit'
import type { SignalsTable } from '@tributary/storage'
import type { Insertable, Updateable } from 'kysely'

/** Inserts a signal. */
export const insertSignal = async (tx: Tx, values: Insertable<SignalsTable>): Promise<void> => {
  await tx.insertInto('signals').values(values).execute()
}

/** Changes a signal. */
export const setSignal = async (tx: Tx, id: string, change: Updateable<SignalsTable>): Promise<void> => {
  await tx.updateTable('signals').set(change).where('id', '=', id).execute()
}

/** Deletes a signal with its conversions that are not in the stream yet; returns false if it does not exist. */
export const removeSignal = async (tx: Tx, workspaceId: string, id: string): Promise<boolean> => {
  const deleted = await tx.deleteFrom('signals').where('id', '=', id).returning('id').executeTakeFirst()
  if (deleted === undefined) return false
  await tx.deleteFrom('signal_outbox').where('workspace_id', '=', workspaceId).where('signal_id', '=', id).execute()
  return true
}
