/** The three roles of a membership, in the order of their index on the wire (0, 1, 2). */
export const roles = ['ORG_ADMIN', 'ORG_COLLABORATOR', 'ORG_GUEST'] as const
export type Role = (typeof roles)[number]

/** The API key with which a call is made. */
export type ActorKey = {
  id: string
  /** The one workspace that it is for; null for a key of the whole organization. */
  workspaceId: string | null
  /** The areas of the API that it may call. */
  areas: readonly string[]
}

/**
 * The caller: one user with one session, and what the session may see. For an API key the user is the key's creator,
 * which does not decide what it may do: `memberships` has the one role that the key has.
 */
export type Actor = {
  userId: string
  email: string
  isPlatformAdmin: boolean
  sessionId: string
  memberships: readonly { organizationId: string; role: Role }[]
  /** Present when the call is made with an API key and not by a person. */
  key?: ActorKey
}
