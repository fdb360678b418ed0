import { type KeyArea, keyAreaNames, methods, type Role } from '@tributary/contract'
import { type Harness, idIn, type Organization } from './control-harness.ts'

/** The permissions of a test key. By default, the key may do everything in the whole organization. */
type Given = { title?: string; role?: Role; areas?: KeyArea[]; workspace?: string; expire_time?: string }

/** Makes an API key. */
export const makeApiKey = async (
  { administrator, organizationId }: Pick<Organization, 'administrator' | 'organizationId'>,
  given: Given = {},
): Promise<{ id: string; key: string }> => {
  const { title = 'Key', role = 'ORG_ADMIN', areas = keyAreaNames, ...rest } = given
  const body = { title, role, areas: [...areas], ...rest }
  const made = await administrator.ok(methods.apiKeys.create, { organization: organizationId }, { body })
  return { id: idIn(made.name), key: made.key }
}

/**
 * Makes a call about the API keys of an organization. Deletes unused keys before, because an organization can have only
 * a few.
 */
export const apiKeyRequest = async (
  harness: Harness,
  organization: Organization,
  name: string,
): Promise<{ path: string; body?: unknown } | undefined> => {
  if (!name.startsWith('apiKeys.')) return undefined
  const { organizationId } = organization
  await harness.db
    .deleteFrom('api_keys')
    .where('organization_id', '=', organizationId)
    .where('title', '=', 'Trial')
    .execute()
  const path = `/organizations/${organizationId}/apiKeys`
  if (name === 'apiKeys.list') return { path }
  if (name === 'apiKeys.create') return { path, body: { title: 'Trial', role: 'ORG_GUEST', areas: ['events'] } }
  const { id } = await makeApiKey(organization, { title: 'Trial' })
  return name === 'apiKeys.rotate' ? { path: `${path}/${id}:rotate`, body: {} } : { path: `${path}/${id}` }
}
