import type { Tx } from '@tributary/api-kit'
import type { AudiencesTable } from '@tributary/storage'
import type { Insertable, Updateable } from 'kysely'

/** Inserts an audience. */
export const insertAudience = async (tx: Tx, values: Insertable<AudiencesTable>): Promise<void> => {
  await tx.insertInto('audiences').values(values).execute()
}

/** Changes an audience. */
export const setAudience = async (tx: Tx, id: string, change: Updateable<AudiencesTable>): Promise<void> => {
  await tx.updateTable('audiences').set(change).where('id', '=', id).execute()
}

/** Deletes an audience, with all rows that refer to it. */
export const removeAudience = async (tx: Tx, id: string): Promise<void> => {
  await tx.deleteFrom('audiences').where('id', '=', id).execute()
}
