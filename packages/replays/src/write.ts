import type { Tx } from '@tributary/api-kit'
import type { ReplaysTable } from '@tributary/storage'
import type { Insertable, Updateable } from 'kysely'

/** Inserts a running replay. Returns false if another replay of its destination is running or paused. */
export const insertReplay = async (tx: Tx, values: Insertable<ReplaysTable>): Promise<boolean> => {
  const made = await tx
    .insertInto('replays')
    .values(values)
    .onConflict((conflicting) =>
      conflicting.columns(['destination_id']).where('state', 'in', ['running', 'paused']).doNothing(),
    )
    .returning('id')
    .executeTakeFirst()
  return made !== undefined
}

/** Changes a replay. */
export const setReplay = async (tx: Tx, id: string, change: Updateable<ReplaysTable>): Promise<void> => {
  await tx.updateTable('replays').set(change).where('id', '=', id).execute()
}
