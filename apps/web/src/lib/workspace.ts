import { useQuery } from '@tanstack/react-query'
import { administrators, editors, mayAct, type Role, toRole, type Workspace } from '@tributary/contract'
import { createContext, useContext } from 'react'
import { organizationIds } from './format/names.ts'
import { type SessionState, useSession } from './people/session.ts'
import { membershipsQuery, userQuery } from './queries/account-queries.ts'

/**
 * The workspace that a page is about: the acted-on one while acting on behalf, otherwise the one of the user's with this
 * id. Throws 'Workspace not found' for one that is not the user's.
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

/** The workspace of the page. Throws outside the workspace area. */
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
 * Returns whether the user has one of the `allowed` roles in an organization (a resource name); 'unknown' until that is
 * loaded. It is the server's rule: a platform admin always has access, also while acting on behalf of an organization.
 * An empty list allows only platform admins.
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

/** The same check for the organization of the page, otherwise for the current one. */
export const useAccess = (allowed: readonly Role[]): boolean | 'unknown' => {
  const current = useSession((state) => state.session.organization)
  // Directly after entering a workspace, the page has the organization earlier than the session.
  const organization = useContext(WorkspaceContext)?.organization ?? current
  return useAccessCheck()(organization?.name, allowed)
}

/** Administrators and collaborators: those who create and change what lives in a workspace. */
export const useMayEdit = (): boolean | 'unknown' => useAccess(editors)

/** Administrators: those who manage the organization. */
export const useIsAdministrator = (): boolean | 'unknown' => useAccess(administrators)

/** The roles for `RequireAccess` and `useAccess` that admit only platform admins. */
export const platformAdminsOnly: readonly Role[] = []
