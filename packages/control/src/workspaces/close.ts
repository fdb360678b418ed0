import { closeSources, type Tx } from '@tributary/api-kit'
import { removeGrantsOf } from '@tributary/configuration'
import { removeAlertChannelsOf, removeSyncsOf } from '@tributary/syncs'

/**
 * Ends all receiving and sending of workspaces: revokes their keys, and removes their domains, sources, destinations,
 * connections, and syncs. Their data is removed in the background. A second call also ends resources that were made
 * meanwhile.
 */
export const closeWorkspaces = async (tx: Tx, workspaces: readonly string[], time: Date): Promise<void> => {
  if (workspaces.length === 0) return
  for (const table of ['write_keys', 'profile_keys', 'sync_tokens'] as const)
    await tx
      .updateTable(table)
      .set({ revoke_time: time })
      .where('workspace_id', 'in', workspaces)
      .where('revoke_time', 'is', null)
      .execute()
  await removeGrantsOf(tx, workspaces)
  const destinations = tx.selectFrom('destinations').select('id').where('workspace_id', 'in', workspaces)
  await tx.deleteFrom('oauth_consents').where('destination_id', 'in', destinations).execute()
  for (const table of ['custom_domains', 'connections'] as const)
    await tx.deleteFrom(table).where('workspace_id', 'in', workspaces).execute()
  await removeSyncsOf(tx, 'workspace_id', workspaces)
  for (const table of ['sync_drafts', 'signal_drafts'] as const)
    await tx.deleteFrom(table).where('workspace_id', 'in', workspaces).execute()
  await removeAlertChannelsOf(tx, workspaces)
  await closeSources(tx, workspaces, time)
  await tx
    .updateTable('destinations')
    .set({ delete_time: time, update_time: time, secrets_encrypted: null })
    .where('workspace_id', 'in', workspaces)
    .where('delete_time', 'is', null)
    .execute()
}
