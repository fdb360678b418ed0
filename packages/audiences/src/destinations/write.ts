import type { Tx } from '@tributary/api-kit'
import type { AudienceDestinationsTable } from '@tributary/storage'
import type { Insertable, Updateable } from 'kysely'

/** The audience and the destination of a connection. */
export type ConnectionEnds = { audienceId: string; destinationId: string }

/** Connects a destination to an audience; returns false if it is already connected. */
export const insertConnection = async (tx: Tx, values: Insertable<AudienceDestinationsTable>): Promise<boolean> => {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('audience_destinations')
    .values(values)
    .onConflict((on) => on.columns(['audience_id', 'destination_id']).doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows !== 0n
}

/** Changes a connection. */
export const setConnection = async (
  tx: Tx,
  id: string,
  change: Updateable<AudienceDestinationsTable>,
): Promise<void> => {
  await tx.updateTable('audience_destinations').set(change).where('id', '=', id).execute()
}

/**
 * Ends the initial fill of a connection, which sends only changes from then on. Returns false if the connection does
 * not exist.
 */
export const endFill = async (tx: Tx, { audienceId, destinationId }: ConnectionEnds): Promise<boolean> => {
  const { numUpdatedRows } = await tx
    .updateTable('audience_destinations')
    .set({ state: 'live' })
    .where('audience_id', '=', audienceId)
    .where('destination_id', '=', destinationId)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes a connection; returns false if it does not exist. */
export const removeConnection = async (tx: Tx, { audienceId, destinationId }: ConnectionEnds): Promise<boolean> => {
  const { numDeletedRows } = await tx
    .deleteFrom('audience_destinations')
    .where('audience_id', '=', audienceId)
    .where('destination_id', '=', destinationId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
