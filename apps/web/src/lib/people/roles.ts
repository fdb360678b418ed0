import { administrators, type Membership, type Role, roles, roleTitles, toRole } from '@tributary/contract'

/** What a role is called; anything unknown is a guest. */
export const roleTitle = (value: unknown): string => roleTitles[toRole(value)]

/** What a role lets somebody do, in one sentence. */
export const roleHints: Record<Role, string> = {
  ORG_ADMIN: 'Manages members, billing, and everything in the workspaces.',
  ORG_COLLABORATOR: 'Creates and edits sources and destinations.',
  ORG_GUEST: "Views everything in the workspaces. Can't make changes.",
}

/** Whether a member administers the organization. */
export const isAdministrator = ({ role }: Pick<Membership, 'role'>): boolean =>
  administrators.includes(toRole(role.value))

/** Whether one administrator alone is left, who may then neither leave nor step down. */
export const hasOneAdministrator = (members: readonly Pick<Membership, 'role'>[]): boolean =>
  members.filter(isAdministrator).length === 1

/** A role as every request carries it: its index in the list of roles. */
export const roleIndex = (value: unknown): number => roles.indexOf(toRole(value))
