import type { Actor } from '@tributary/kernel'

/** Whose draft it is: that of a user, or of an API key, for which the user is who created it. */
export type DraftOwner = { workspace: string; user: string; key: string | null }

/** The owner of the draft that a caller has in a workspace. */
export const draftOwner = (workspace: string, { userId, key }: Pick<Actor, 'userId' | 'key'>): DraftOwner => ({
  workspace,
  user: userId,
  key: key?.id ?? null,
})
