import { isId, lockOrganizationFor, newKey, requireRoomForKey, type Tx } from '@tributary/api-kit'
import { maxApiKeys, type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest, newId } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { auditApiKey, presentApiKey, selectApiKeys } from './keys.ts'

/** Returns the ID of the workspace with this name. Throws 400 if it does not belong to the organization. */
const workspaceIn = async (tx: Tx, organizationId: string, name: string | null): Promise<string | null> => {
  if (name === null) return null
  const id = resourceNames.workspace.parse(name)?.workspace ?? ''
  const found = isId(id)
    ? await tx
        .selectFrom('workspaces')
        .select('id')
        .where('id', '=', id)
        .where('organization_id', '=', organizationId)
        .where('delete_time', 'is', null)
        .executeTakeFirst()
    : undefined
  if (found !== undefined) return found.id
  const text = 'Select a workspace of this organization'
  throw badRequest('VALIDATION', `workspace: ${text}`, { workspace: text })
}

/**
 * Makes an API key; only this response contains it. Throws 400 if its expiry is not in the future or the workspace
 * belongs to another organization. Also throws 400 if the organization has the maximum number of keys.
 */
export const createApiKey =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.apiKeys.create> =>
  ({ actor, organization, body }) =>
    db.transaction().execute(async (tx) => {
      // The lock makes concurrent calls count one after the other, so that they cannot exceed the limit. It also checks
      // that the caller still has the role.
      await lockOrganizationFor(tx, actor, organization)
      const time = new Date(clock())
      const expires = body.expire_time === null ? null : new Date(body.expire_time)
      if (expires !== null && expires <= time) {
        const text = 'Must be in the future'
        throw badRequest('VALIDATION', `expire_time: ${text}`, { expire_time: text })
      }
      const { count } = await tx
        .selectFrom('api_keys')
        .select(({ fn }) => fn.countAll<string>().as('count'))
        .where('organization_id', '=', organization.id)
        .where('revoke_time', 'is', null)
        .executeTakeFirstOrThrow()
      requireRoomForKey(Number(count), maxApiKeys, { of: 'An organization', called: 'API keys' })
      const { key, hash, hint } = newKey('api')
      const id = newId()
      const workspace_id = await workspaceIn(tx, organization.id, body.workspace)
      const { title, role, areas } = body
      await tx
        .insertInto('api_keys')
        .values({
          id,
          organization_id: organization.id,
          workspace_id,
          creator_id: actor.userId,
          title,
          role,
          areas,
          key_hash: hash,
          hint,
          create_time: time,
          expire_time: expires,
        })
        .execute()
      const row = await selectApiKeys(tx).where('api_keys.id', '=', id).executeTakeFirstOrThrow()
      await auditApiKey(tx, row, { title, role, areas, expire_time: expires?.toISOString() ?? null })
      return { ...presentApiKey(row, time.getTime()), key }
    })
