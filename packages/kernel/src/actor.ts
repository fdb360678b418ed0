/** The three roles of a membership, in the order of their index in the API (0, 1, 2). */
export const roles = ['ORG_ADMIN', 'ORG_COLLABORATOR', 'ORG_GUEST'] as const
export type Role = (typeof roles)[number]

/** The API key that authenticates a call. */
export type ActorKey = {
  id: string
  /** The only workspace of the key; null for a key of the whole organization. */
  workspaceId: string | null
  /** The areas of the API that the key may call. */
  areas: readonly string[]
}

/**
 * The caller of the API: a user with a session, and the memberships of the user. For an API key, the user is the key's
 * creator, but the key's own role decides what it may do: `memberships` contains only that role.
 */
export type Actor = {
  userId: string
  email: string
  isPlatformAdmin: boolean
  sessionId: string
  memberships: readonly { organizationId: string; role: Role }[]
  /** Present if the call is made with an API key instead of a session. */
  key?: ActorKey
}
