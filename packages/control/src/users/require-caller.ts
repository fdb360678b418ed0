import { resourceNames } from '@tributary/contract'
import { type Actor, forbidden } from '@tributary/kernel'

/** Throws 403 unless the `user` of a body, a resource name or an id, is the caller. */
export const requireCaller = (actor: Actor, user: string): void => {
  if ((resourceNames.user.parse(user)?.user ?? user) !== actor.userId)
    throw forbidden('This is possible for oneself only')
}
