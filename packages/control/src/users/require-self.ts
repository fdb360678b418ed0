import { type Actor, notFound } from '@tributary/kernel'

/** The caller's id when the address names the caller; throws 404 for anybody else, platform admins included. */
export const requireSelf = (actor: Actor, userId: string): string => {
  if (actor.userId !== userId) throw notFound('user not found')
  return userId
}
