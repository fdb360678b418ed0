import { keyAreaOf, keyAreas, type Method, resourceNames } from '@tributary/contract'
import type { Authorize, OrganizationRef, WorkspaceRef } from '@tributary/http'
import { type Actor, canSee, forbidden, mayAct, notFound, type Role } from '@tributary/kernel'
import type { Db } from './db.ts'
import { guarded } from './failures.ts'
import { isId } from './resource-ids.ts'

/**
 * Whether a key may be used in a workspace. A call with a session has no key, and can use every workspace of the
 * organization.
 */
const isOfKey = ({ key }: Actor, workspaceId: string): boolean =>
  key === undefined || key.workspaceId === null || key.workspaceId === workspaceId

/** Throws 403 if the caller is an API key. Only signed-in users can do this, because the effect outlasts the key. */
export const requirePerson = ({ key }: Actor): void => {
  if (key !== undefined) throw forbidden('Only people who are signed in can change this', 'NOT_FOR_KEYS')
}

/** Throws 403 if a key may not make a call, whatever its role. Does nothing for calls with a session. */
const requireKeyArea = ({ key }: Actor, method: Pick<Method, 'name' | 'access'>): void => {
  if (key === undefined) return
  const area = keyAreaOf(method)
  if (area === undefined)
    throw forbidden('API keys cannot make this call: it is for people who are signed in', 'NOT_FOR_KEYS')
  if (!key.areas.includes(area)) throw forbidden(`This API key cannot use the area "${keyAreas[area]}"`, 'KEY_AREA')
}

/**
 * Returns the workspace, if the caller may act in it with one of these roles. Throws 404 'workspace not found' if it
 * does not exist, or the caller does not belong to its organization. Throws 403 for a role that is not allowed.
 * Handlers call it only for a workspace that is not in the path.
 */
export const requireWorkspace = async (
  db: Db,
  actor: Actor,
  workspaceId: string,
  roles: readonly Role[],
): Promise<WorkspaceRef> => {
  const row = isId(workspaceId)
    ? await db
        .selectFrom('workspaces')
        .innerJoin('organizations', 'organizations.id', 'workspaces.organization_id')
        .select('workspaces.organization_id')
        .where('workspaces.id', '=', workspaceId)
        .where('organizations.delete_time', 'is', null)
        .where('workspaces.delete_time', 'is', null)
        .executeTakeFirst()
    : undefined
  if (row === undefined || !canSee(actor, row.organization_id) || !isOfKey(actor, workspaceId))
    throw notFound('workspace not found')
  if (!mayAct(actor, row.organization_id, roles)) throw forbidden()
  return { id: workspaceId, organizationId: row.organization_id, roles }
}

/** Returns an organization in which the caller has one of these roles; throws 404 and 403 like `requireWorkspace`. */
export const requireOrganization = async (
  db: Db,
  actor: Actor,
  organizationId: string,
  roles: readonly Role[],
): Promise<OrganizationRef> => {
  const row =
    isId(organizationId) && canSee(actor, organizationId)
      ? await db
          .selectFrom('organizations')
          .select('id')
          .where('id', '=', organizationId)
          .where('delete_time', 'is', null)
          .executeTakeFirst()
      : undefined
  if (row === undefined) throw notFound('organization not found')
  if (actor.key !== undefined && actor.key.workspaceId !== null)
    throw forbidden('This API key is for one workspace. Use a key of the organization', 'KEY_WORKSPACE')
  if (!mayAct(actor, organizationId, roles)) throw forbidden()
  return { id: organizationId, roles }
}

/** Whether the caller may read the data of this user: the user itself, or a platform admin. */
export const mayReadUser = (actor: Actor, userId: string): boolean => actor.userId === userId || actor.isPlatformAdmin

const onlyThemselves = () => forbidden('Only users themselves can do this')

/** Throws 403 unless the caller is the `user` of a body, given as a resource name or an ID. */
export const requireCaller = (actor: Actor, user: string): void => {
  if ((resourceNames.user.parse(user)?.user ?? user) !== actor.userId) throw onlyThemselves()
}

/** Throws unless the caller is the user: 403 for a caller who may read the data of the user, otherwise 404. */
const requireSelf = (actor: Actor, userId: string): void => {
  if (actor.userId !== userId) throw mayReadUser(actor, userId) ? onlyThemselves() : notFound('user not found')
}

/**
 * Creates the check before every handler, by the access in the method's contract. The check reads the relational store
 * only for calls of a workspace or an organization, and throws 503 while the store is unavailable.
 */
export const createAuthorize = ({ db }: { db: Db }): Authorize =>
  guarded(async (method, actor, { workspace = '', organization = '', user = '' }) => {
    const { access } = method
    if (access.scope === 'anybody') return {}
    if (actor === undefined) throw new Error('a call that is not for anybody came without its caller')
    requireKeyArea(actor, method)
    switch (access.scope) {
      case 'everybody':
        return {}
      case 'staff':
        if (!actor.isPlatformAdmin) throw forbidden()
        return {}
      case 'oneself':
        requireSelf(actor, user)
        return {}
      case 'oneselfOrStaff':
        if (!isId(user) || !mayReadUser(actor, user)) throw notFound('user not found')
        return {}
      case 'workspace':
        return { workspace: await requireWorkspace(db, actor, workspace, access.roles) }
      case 'organization':
        return { organization: await requireOrganization(db, actor, organization, access.roles) }
    }
  })
