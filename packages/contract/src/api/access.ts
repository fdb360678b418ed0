import { administrators, editors, everyRole, type Role } from '@tributary/kernel/browser'

/**
 * Who may make a call. It is asked for in one place before the handler runs, which then knows the workspace or
 * organization that was found. What depends on more than the path, such as whom a resource belongs to or what a body
 * names, stays with the handler.
 *
 * - `anybody` needs no session, `everybody` one. `staff` are platform admins, who may also act in every workspace and
 *   organization.
 * - `workspace` and `organization` are those of the path. Whoever does not belong to it is answered 404, whoever has none
 *   of the roles 403.
 * - `oneself` is the user of the path, and nobody else; `oneselfOrStaff` lets platform admins, too.
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
/** Platform admins alone, in a workspace: no role of its members lets anybody in. */
export const staffOfWorkspace = { scope: 'workspace', roles: [] } as const satisfies Access
export const organizationMembers = { scope: 'organization', roles: everyRole } as const satisfies Access
export const organizationAdministrators = { scope: 'organization', roles: administrators } as const satisfies Access
