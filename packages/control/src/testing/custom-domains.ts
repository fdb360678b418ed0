import { methods } from '@tributary/contract'
import { type Harness, idIn, type Organization } from './control-harness.ts'

/**
 * Makes a call about the custom domain of a workspace. Removes the previous domain before, because a workspace can have
 * only one.
 */
export const customDomainRequest = async (
  harness: Harness,
  { platformAdmin, workspaceId }: Organization,
  name: string,
): Promise<{ path: string; body?: unknown } | undefined> => {
  if (!name.startsWith('customDomains.')) return undefined
  await harness.db.deleteFrom('custom_domains').where('workspace_id', '=', workspaceId).execute()
  const path = `/workspaces/${workspaceId}/customDomains`
  const body = { domain_name: 'events.trial.example' }
  if (name === 'customDomains.list') return { path }
  if (name === 'customDomains.create') return { path, body }
  const made = await platformAdmin.ok(methods.customDomains.create, { workspace: workspaceId }, { body })
  const own = `${path}/${idIn(made.name)}`
  return name === 'customDomains.verify' ? { path: `${own}:verify`, body: {} } : { path: own }
}
