import { resourceNames } from '@tributary/contract'
import { type Actor, forbidden, notFound } from '@tributary/kernel'

/** Throws 403 unless a body's `user`, a resource name or an id, is the caller. */
export const requireSelf = (actor: Actor, user: string): void => {
  if ((resourceNames.user.parse(user)?.user ?? user) !== actor.userId)
    throw forbidden('This is possible for oneself only')
}

/** Throws 404 unless a path's user is the caller: what is somebody's own is nobody else's, platform admins included. */
export const requireOwn = (actor: Actor, userId: string): void => {
  if (userId !== actor.userId) throw notFound('user not found')
}
