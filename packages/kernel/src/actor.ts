/** The three roles of a membership, in the order of their index on the wire (0, 1, 2). */
export const roles = ['ORG_ADMIN', 'ORG_COLLABORATOR', 'ORG_GUEST'] as const
export type Role = (typeof roles)[number]

/** Who asks: one user with one session, and what the session may see. */
export type Actor = {
  userId: string
  email: string
  isPlatformAdmin: boolean
  sessionId: string
  memberships: readonly { organizationId: string; role: Role }[]
}
