import { audit, type Db, isId, type Tx } from '@tributary/api-kit'
import {
  type ApiKey,
  type CreatedWriteKey,
  type KeyArea,
  keyAreaNames,
  maxListedWriteKeys,
  resourceNames,
} from '@tributary/contract'
import type {} from '@tributary/http'
import { notFound } from '@tributary/kernel'
import { sql } from 'kysely'

export const apiKeyName = (organization: string, id: string): string =>
  resourceNames.apiKey.format({ organization, api_key: id })

/** Selects the API keys that are not revoked, expired ones included, with the values that are shown. */
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

/** The active write keys that each API key has created, newest first, at most `maxListedWriteKeys` per API key. */
export const writeKeysMadeBy = async (db: Db | Tx, ids: readonly string[]): Promise<Map<string, CreatedWriteKey[]>> => {
  const made = new Map<string, CreatedWriteKey[]>()
  if (ids.length === 0) return made
  const rows = await db
    .selectFrom('write_keys')
    .innerJoin('sources', 'sources.id', 'write_keys.source_id')
    .select(['write_keys.id', 'write_keys.workspace_id', 'write_keys.title', 'api_key_id', 'source_id'])
    .select([
      'sources.title as source_title',
      sql<string>`row_number() over (partition by api_key_id order by write_keys.create_time desc, write_keys.id desc)`.as(
        'place',
      ),
    ])
    .where('api_key_id', 'in', [...ids])
    .where('write_keys.revoke_time', 'is', null)
    .where('sources.delete_time', 'is', null)
    .orderBy('place')
    .limit(maxListedWriteKeys * ids.length)
    .execute()
  for (const { id, workspace_id: workspace, title, api_key_id, source_id, source_title, place } of rows) {
    if (api_key_id === null || Number(place) > maxListedWriteKeys) continue
    const source = { name: resourceNames.source.format({ workspace, source: source_id }), title: source_title }
    const known = made.get(api_key_id) ?? []
    known.push({ name: resourceNames.writekey.format({ workspace, writekey: id }), title, source })
    made.set(api_key_id, known)
  }
  return made
}

/**
 * Returns an API key as the API shows it at the time `now`: without its secret, with the write keys that it has
 * created.
 */
export const presentApiKey = (row: ApiKeyRow, now: number, writekeys: CreatedWriteKey[] = []): ApiKey => ({
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
  writekeys,
})

/** Locks a key of an organization until the transaction ends. Throws 404 if it does not exist or is revoked. */
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

/** Records an action of a user on an API key. The record never contains the secret. */
export const auditApiKey = (
  tx: Tx,
  { id, organization_id, workspace_id }: Pick<ApiKeyRow, 'id' | 'organization_id' | 'workspace_id'>,
  detail: Record<string, unknown>,
): Promise<void> => audit(tx, apiKeyName(organization_id, id), detail, { workspaceId: workspace_id })
