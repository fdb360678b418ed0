import { administrators, type Membership, type Role, roles, roleTitles, toRole } from '@tributary/contract'

/** The title of a role; an unknown role is a guest. */
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

/** A role as every request carries it: its index in the list of roles. */
export const roleIndex = (value: unknown): number => roles.indexOf(toRole(value))
