import { administrators, type Membership, type Role, roles, roleTitles, toRole } from '@tributary/contract'

/** Returns the title of a role. An unknown role counts as Guest. */
export const roleTitle = (value: unknown): string => roleTitles[toRole(value)]

/** The permissions of a role, in one sentence. */
export const roleHints: Record<Role, string> = {
  ORG_ADMIN: 'Manages members, billing, and everything in the workspaces.',
  ORG_COLLABORATOR: 'Creates and edits sources and destinations.',
  ORG_GUEST: "Views everything in the workspaces. Can't make changes.",
}

/** True if a member is an administrator of the organization. */
export const isAdministrator = ({ role }: Pick<Membership, 'role'>): boolean =>
  administrators.includes(toRole(role.value))

/** Whether there is only one administrator, who can then neither leave nor step down. */
export const hasOneAdministrator = (members: readonly Pick<Membership, 'role'>[]): boolean =>
  members.filter(isAdministrator).length === 1

/** Returns a role in the form of all requests: its index in the list of roles. */
export const roleIndex = (value: unknown): number => roles.indexOf(toRole(value))
