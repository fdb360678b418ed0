import { administrators, editors, everyRole, type Role } from '@tributary/kernel/browser'

/**
 * The access of a call. The access is checked before the handler runs, and the handler gets the workspace or
 * organization of the path. A check that needs more than the path stays in the handler, such as the owner of a resource
 * or the names in a body.
 *
 * - `anybody` needs no session, `everybody` needs one. `staff` are platform admins, who can also act in every workspace
 * and organization.
 * - `workspace` and `organization` are those of the path. A user outside of it gets 404, a member without one of the
 * roles 403.
 * - `oneself` is only the user of the path; `oneselfOrStaff` also admits platform admins.
 */
export type Access =
  | { scope: 'anybody' | 'everybody' | 'staff' | 'oneself' | 'oneselfOrStaff' }
  | { scope: 'workspace' | 'organization'; roles: readonly Role[] }

export const anybody = { scope: 'anybody' } as const satisfies Access
export const everybody = { scope: 'everybody' } as const satisfies Access
export const staff = { scope: 'staff' } as const satisfies Access
export const oneself = { scope: 'oneself' } as const satisfies Access
export const oneselfOrStaff = { scope: 'oneselfOrStaff' } as const satisfies Access
export const workspaceMembers = { scope: 'workspace', roles: everyRole } as const satisfies Access
export const workspaceEditors = { scope: 'workspace', roles: editors } as const satisfies Access
export const workspaceAdministrators = { scope: 'workspace', roles: administrators } as const satisfies Access
/** Access to a workspace for platform admins only. No role of a member grants it. */
export const staffOfWorkspace = { scope: 'workspace', roles: [] } as const satisfies Access
export const organizationMembers = { scope: 'organization', roles: everyRole } as const satisfies Access
export const organizationAdministrators = { scope: 'organization', roles: administrators } as const satisfies Access
