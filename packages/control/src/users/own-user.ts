import { type Actor, forbidden, notFound } from '@tributary/kernel'
import { mayReadUser } from './get.ts'

/**
 * Throws unless the caller is this user: 403 for who may at least read it, 404 for everybody else.
 */
export const requireOwnUser = (actor: Actor, userId: string): void => {
  if (actor.userId === userId) return
  if (mayReadUser(actor, userId)) throw forbidden('Only users themselves can do this')
  throw notFound('user not found')
}
