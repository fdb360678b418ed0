import type { Tx } from '@tributary/api-kit'
import type { OauthGrantsTable } from '@tributary/storage'
import type { Insertable } from 'kysely'

/** Stores the grant of a destination, and replaces its previous grant. */
export const replaceGrant = async (
  tx: Tx,
  destinationId: string,
  grant: Omit<Insertable<OauthGrantsTable>, 'destination_id'>,
): Promise<void> => {
  await tx
    .insertInto('oauth_grants')
    .values({ destination_id: destinationId, ...grant })
    .onConflict((conflict) => conflict.column('destination_id').doUpdateSet(grant))
    .execute()
}

/** Deletes the grant of a destination. Returns its account; undefined if there was no grant. */
export const removeGrant = async (tx: Tx, destinationId: string): Promise<string | undefined> =>
  (
    await tx
      .deleteFrom('oauth_grants')
      .where('destination_id', '=', destinationId)
      .returning('account')
      .executeTakeFirst()
  )?.account

/** Deletes the grants of all destinations of workspaces. */
export const removeGrantsOf = async (tx: Tx, workspaces: readonly string[]): Promise<void> => {
  const destinations = tx.selectFrom('destinations').select('id').where('workspace_id', 'in', workspaces)
  await tx.deleteFrom('oauth_grants').where('destination_id', 'in', destinations).execute()
}
