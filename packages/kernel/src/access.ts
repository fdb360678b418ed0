import { type Role, roles } from './actor.ts'

/** Short names of the roles, which are used in declarations of access. */
export const roleAliases = { ADMIN: 'ORG_ADMIN', COLLABORATOR: 'ORG_COLLABORATOR', GUEST: 'ORG_GUEST' } as const
export type RoleAlias = keyof typeof roleAliases

/** The name of a role, on screens and in mail. */
export const roleTitles: Readonly<Record<Role, string>> = {
  ORG_ADMIN: 'Administrator',
  ORG_COLLABORATOR: 'Collaborator',
  ORG_GUEST: 'Guest',
}

/** All members. */
export const everyRole: readonly Role[] = roles
/** Members who create and change objects in a workspace. */
export const editors: readonly Role[] = ['ORG_ADMIN', 'ORG_COLLABORATOR']
/** Members who manage the organization itself. */
export const administrators: readonly Role[] = ['ORG_ADMIN']

/**
 * Returns the role of a value, which can be a role, its short name, or its index. Any unknown value counts as a guest.
 */
export const toRole = (value: unknown): Role => {
  if (typeof value === 'number') return roles[value] ?? 'ORG_GUEST'
  if (typeof value !== 'string') return 'ORG_GUEST'
  if (Object.hasOwn(roleAliases, value)) return roleAliases[value as RoleAlias]
  return roles.find((role) => role === value) ?? 'ORG_GUEST'
}

/** The part of a caller that the access check needs. */
export type AccessSubject = {
  isPlatformAdmin: boolean
  memberships: readonly { organizationId: string; role: Role }[]
}

/** Whether the caller may learn that the organization exists. */
export const canSee = (subject: AccessSubject, organizationId: string): boolean =>
  subject.isPlatformAdmin || subject.memberships.some((membership) => membership.organizationId === organizationId)

/**
 * Returns whether a caller may act in an organization. The server and the browser use the same rule. A platform admin
 * always has access; an empty list of roles allows no other caller. Other callers need a membership in this
 * organization, and all their memberships in it must have an allowed role. Memberships in other organizations do not
 * count.
 */
export const mayAct = (subject: AccessSubject, organizationId: string, allowed: readonly Role[]): boolean => {
  if (subject.isPlatformAdmin) return true
  const here = subject.memberships.filter((membership) => membership.organizationId === organizationId)
  return here.length > 0 && here.every((membership) => allowed.includes(membership.role))
}
