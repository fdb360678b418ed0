import { audit, type Db, isId, type Tx } from '@tributary/api-kit'
import { type ApiKey, type KeyArea, keyAreaNames, resourceNames } from '@tributary/contract'
import type { OrganizationRef } from '@tributary/http'
import { type Actor, notFound } from '@tributary/kernel'
import { sql } from 'kysely'

export const apiKeyName = (organization: string, id: string): string =>
  resourceNames.apiKey.format({ organization, api_key: id })

/** Valid and expired keys with what is shown of them; revoked ones are not among them. */
export const selectApiKeys = (db: Db | Tx) =>
  db
    .selectFrom('api_keys')
    .innerJoin('users', 'users.id', 'api_keys.creator_id')
    .leftJoin('workspaces', 'workspaces.id', 'api_keys.workspace_id')
    .selectAll('api_keys')
    .select([
      'workspaces.title as workspace_title',
      sql<string>`coalesce(nullif(trim(users.first_name || ' ' || users.last_name), ''), users.email)`.as('creator'),
    ])
    .where('api_keys.revoke_time', 'is', null)

export type ApiKeyRow = Awaited<ReturnType<ReturnType<typeof selectApiKeys>['executeTakeFirstOrThrow']>>

const isArea = (text: string): text is KeyArea => keyAreaNames.some((area) => area === text)

/** A key as the wire shows it at a time, without itself. */
export const presentApiKey = (row: ApiKeyRow, now: number): ApiKey => ({
  name: apiKeyName(row.organization_id, row.id),
  title: row.title,
  role: row.role,
  areas: row.areas.filter(isArea),
  workspace:
    row.workspace_id === null
      ? null
      : {
          name: resourceNames.workspace.format({ workspace: row.workspace_id }),
          title: row.workspace_title ?? '',
        },
  hint: row.hint,
  create_time: row.create_time.toISOString(),
  creator: row.creator,
  expire_time: row.expire_time?.toISOString() ?? null,
  expired: row.expire_time !== null && row.expire_time.getTime() <= now,
  last_used_time: row.last_used_time?.toISOString() ?? null,
  previous_expire_time:
    row.previous_expire_time !== null && row.previous_expire_time.getTime() > now
      ? row.previous_expire_time.toISOString()
      : null,
})

/** A key of an organization that is not revoked, locked until the transaction ends. Throws 404 for none. */
export const lockApiKey = async (tx: Tx, organizationId: string, id: string): Promise<ApiKeyRow> => {
  const row = isId(id)
    ? await selectApiKeys(tx)
        .where('api_keys.id', '=', id)
        .where('api_keys.organization_id', '=', organizationId)
        .forUpdate('api_keys')
        .executeTakeFirst()
    : undefined
  if (row === undefined) throw notFound('key not found')
  return row
}

/** Writes down what somebody did with a key, which itself is never in the detail. */
export const auditApiKey = (
  tx: Tx,
  action: `apiKeys.${'create' | 'rotate' | 'delete'}`,
  given: {
    actor: Actor
    organization: OrganizationRef
    key: { id: string; workspace_id: string | null }
    detail: Record<string, unknown>
    time: Date
  },
): Promise<void> =>
  audit(tx, {
    actor: given.actor,
    action,
    resource: apiKeyName(given.organization.id, given.key.id),
    organizationId: given.organization.id,
    workspaceId: given.key.workspace_id,
    detail: given.detail,
    time: given.time,
  })
