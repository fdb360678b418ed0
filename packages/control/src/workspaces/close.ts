import type { Tx } from '@tributary/api-kit'

/**
 * Ends what is received and sent: keys, domains, sources, destinations and what runs between them. Their data goes in the background. Made
 * again, it ends what somebody was making meanwhile.
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
  const destinations = tx.selectFrom('destinations').select('id').where('workspace_id', 'in', workspaces)
  await tx.deleteFrom('oauth_grants').where('destination_id', 'in', destinations).execute()
  await tx.deleteFrom('oauth_consents').where('destination_id', 'in', destinations).execute()
  for (const table of [
    'custom_domains',
    'connections',
    'syncs',
    'sync_drafts',
    'signal_drafts',
    'alert_channels',
  ] as const)
    await tx.deleteFrom(table).where('workspace_id', 'in', workspaces).execute()
  await tx
    .updateTable('sources')
    .set({ delete_time: time, update_time: time, secrets_encrypted: null })
    .where('workspace_id', 'in', workspaces)
    .where('delete_time', 'is', null)
    .execute()
  await tx
    .updateTable('destinations')
    .set({ delete_time: time, update_time: time, secrets_encrypted: null })
    .where('workspace_id', 'in', workspaces)
    .where('delete_time', 'is', null)
    .execute()
}
