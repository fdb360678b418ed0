import { presentUser, userColumns } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'

/** Reads a user. */
export const getUser =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.users.get> =>
  async ({ params }) => {
    const row = await db.selectFrom('users').select(userColumns).where('id', '=', params.user).executeTakeFirst()
    if (row === undefined) throw notFound('user not found')
    return presentUser(row)
  }
