import { type Announce, notifyEditors, type Tx } from '@tributary/api-kit'
import { revokedText } from '@tributary/connector-kit'
import { resourceNames } from '@tributary/contract'

/**
 * Ends a grant in this transaction: its tokens are removed, and delivery holds the destination's events. Users who may
 * reconnect the destination are notified, once for each grant. Call the returned function after the commit.
 */
export const expireGrant = async (
  tx: Tx,
  grant: { id: string; destinationId: string },
  { error = revokedText, now }: { error?: string; now: number },
): Promise<Announce> => {
  const ended = await tx
    .updateTable('oauth_grants')
    .set({
      status: 'expired',
      tokens_encrypted: null,
      error,
      lease_id: null,
      lease_until: null,
      update_time: new Date(now),
    })
    .where('id', '=', grant.id)
    .where('status', '=', 'connected')
    .returning('id')
    .executeTakeFirst()
  if (ended === undefined) return () => {}
  const about = await tx
    .selectFrom('destinations')
    .innerJoin('workspaces', 'workspaces.id', 'destinations.workspace_id')
    .select(['destinations.title', 'destinations.workspace_id', 'workspaces.organization_id'])
    .where('destinations.id', '=', grant.destinationId)
    .where('destinations.delete_time', 'is', null)
    .executeTakeFirst()
  if (about === undefined) return () => {}
  const name = resourceNames.destination.format({ workspace: about.workspace_id, destination: grant.destinationId })
  return await notifyEditors(tx, {
    organizationId: about.organization_id,
    kind: 'connection_expired',
    title: `Reconnect ${about.title}`,
    body: `${error}. Its events are held until you reconnect it.`,
    link: `/${name}`,
    cause: `${name}/grants/${grant.id}`,
    now,
  })
}
