import { resourceNames } from '@tributary/contract'
import { type Actor, forbidden, notFound } from '@tributary/kernel'
import { mayReadUser } from './get.ts'

const onlyThemselves = () => forbidden('Only users themselves can do this')

/**
 * The caller's id when the address names the caller. Throws 403 for who may at least read that user, 404 for everybody
 * else.
 */
export const requireSelf = (actor: Actor, userId: string): string => {
  if (actor.userId === userId) return userId
  throw mayReadUser(actor, userId) ? onlyThemselves() : notFound('user not found')
}

/** Throws 403 unless the `user` of a body, a resource name or an id, is the caller. */
export const requireCaller = (actor: Actor, user: string): void => {
  if ((resourceNames.user.parse(user)?.user ?? user) !== actor.userId) throw onlyThemselves()
}
