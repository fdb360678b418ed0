import { type Role, roles } from './actor.ts'

/** Short forms used where access is declared; they denote the same roles. */
export const roleAliases = { ADMIN: 'ORG_ADMIN', COLLABORATOR: 'ORG_COLLABORATOR', GUEST: 'ORG_GUEST' } as const
export type RoleAlias = keyof typeof roleAliases

/** What a role is called, on screens and in mail. */
export const roleTitles: Readonly<Record<Role, string>> = {
  ORG_ADMIN: 'Administrator',
  ORG_COLLABORATOR: 'Collaborator',
  ORG_GUEST: 'Guest',
}

/** Everybody with a membership. */
export const everyRole: readonly Role[] = roles
/** Those who create and change what lives in a workspace. */
export const editors: readonly Role[] = ['ORG_ADMIN', 'ORG_COLLABORATOR']
/** Those who manage the organisation itself. */
export const administrators: readonly Role[] = ['ORG_ADMIN']

/** The role a value stands for: a role, its short form or its index; anything unknown is a guest. */
export const toRole = (value: unknown): Role => {
  if (typeof value === 'number') return roles[value] ?? 'ORG_GUEST'
  if (typeof value !== 'string') return 'ORG_GUEST'
  if (Object.hasOwn(roleAliases, value)) return roleAliases[value as RoleAlias]
  return roles.find((role) => role === value) ?? 'ORG_GUEST'
}

/** What the access check needs to know of the one who asks. */
export type AccessSubject = {
  isPlatformAdmin: boolean
  memberships: readonly { organizationId: string; role: Role }[]
}

/** True when the one who asks can know that the organisation exists. */
export const canSee = (subject: AccessSubject, organizationId: string): boolean =>
  subject.isPlatformAdmin || subject.memberships.some((membership) => membership.organizationId === organizationId)

/**
 * The access rule, the same on the server and in the browser: a platform admin always may; an empty list of roles lets
 * nobody else; otherwise there must be a membership in this organisation and all memberships in it must carry one of
 * the allowed roles. Memberships elsewhere do not count.
 */
export const mayAct = (subject: AccessSubject, organizationId: string, allowed: readonly Role[]): boolean => {
  if (subject.isPlatformAdmin) return true
  const here = subject.memberships.filter((membership) => membership.organizationId === organizationId)
  return here.length > 0 && here.every((membership) => allowed.includes(membership.role))
}
