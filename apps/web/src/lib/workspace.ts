import { useQuery } from '@tanstack/react-query'
import { administrators, editors, mayAct, type Role, toRole, type Workspace } from '@tributary/contract'
import { createContext, useContext } from 'react'
import { organizationIds } from './format/names.ts'
import { type SessionState, useSession } from './people/session.ts'
import { membershipsQuery, userQuery } from './queries/account-queries.ts'

/**
 * Returns the workspace of a page: the acted-on one while acting on behalf, otherwise the user's workspace with this
 * ID. Throws 'Workspace not found' if the user has no such workspace.
 */
export const resolveWorkspace = (
  workspaceId: string | undefined,
  available: readonly Workspace[],
  actOnBehalfOf: Pick<NonNullable<SessionState['actOnBehalfOf']>, 'workspace'> | null,
): Workspace => {
  if (actOnBehalfOf !== null) return actOnBehalfOf.workspace
  const found = available.find(({ name }) => name === `workspaces/${workspaceId}`)
  if (found === undefined) throw new Error('Workspace not found')
  return found
}

const WorkspaceContext = createContext<Workspace | undefined>(undefined)
export const WorkspaceProvider = WorkspaceContext.Provider

/** Returns the workspace of the page. Throws outside the workspace area. */
export const useWorkspace = (): Workspace => {
  const workspace = useContext(WorkspaceContext)
  if (workspace === undefined) throw new Error('no workspace here')
  return workspace
}

/** The signed-in user and memberships, loaded whenever a session exists. */
export const useCurrentUser = () => {
  const name = useSession((state) => state.currentUserResourceName) ?? ''
  const user = useQuery({ ...userQuery(name), enabled: name !== '' })
  const memberships = useQuery({ ...membershipsQuery(name), enabled: name !== '' })
  return { user, memberships }
}

/**
 * Returns a function that checks whether the user has one of the `allowed` roles in an organization (a resource name).
 * It returns 'unknown' until the roles are loaded. The server has the same rule: a platform admin always has access,
 * also while acting on behalf of an organization. An empty list allows only platform admins.
 */
export const useAccessCheck = (): ((
  organization: string | undefined,
  allowed: readonly Role[],
) => boolean | 'unknown') => {
  const { user, memberships } = useCurrentUser()
  return (organization, allowed) => {
    if (user.data?.is_admin === true) return true
    if (user.isError || memberships.isError) return false
    if (user.data === undefined || memberships.data === undefined || organization === undefined) return 'unknown'
    const subject = {
      isPlatformAdmin: false,
      memberships: memberships.data.map((membership) => ({
        organizationId: organizationIds(membership.organization.name).organization,
        role: toRole(membership.role.value),
      })),
    }
    return mayAct(subject, organizationIds(organization).organization, allowed)
  }
}

/**
 * Checks the roles as `useAccessCheck` does, for the organization of the page; outside a workspace, for the
 * organization of the session.
 */
export const useAccess = (allowed: readonly Role[]): boolean | 'unknown' => {
  const current = useSession((state) => state.session.organization)
  // Right after entering a workspace, the session does not have its organization yet, but the page does.
  const organization = useContext(WorkspaceContext)?.organization ?? current
  return useAccessCheck()(organization?.name, allowed)
}

/** Returns whether the user is an administrator or collaborator. These create and change the objects of a workspace. */
export const useMayEdit = (): boolean | 'unknown' => useAccess(editors)

/** Returns whether the user is an administrator. Administrators manage the organization. */
export const useIsAdministrator = (): boolean | 'unknown' => useAccess(administrators)

/** The roles for `RequireAccess` and `useAccess` that admit only platform admins. */
export const platformAdminsOnly: readonly Role[] = []
