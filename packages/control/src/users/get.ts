import { isId } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { type Actor, notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { presentUser, userColumns } from './present.ts'

/** Whether the caller may read what belongs to this user: oneself, or anybody for a platform admin. */
export const mayReadUser = (actor: Actor, userId: string): boolean => actor.userId === userId || actor.isPlatformAdmin

/** Reads a user. */
export const getUser =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.users.get> =>
  async ({ actor, params }) => {
    const row =
      isId(params.user) && mayReadUser(actor, params.user)
        ? await db.selectFrom('users').select(userColumns).where('id', '=', params.user).executeTakeFirst()
        : undefined
    if (row === undefined) throw notFound('user not found')
    return presentUser(row)
  }
