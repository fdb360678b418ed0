import { audit, changesOf, presentUser, userColumns } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'

/** Changes the caller's own names. */
export const updateUser =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.users.update> =>
  async ({ actor, body }) => {
    const changes = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
    return await db.transaction().execute(async (tx) => {
      const before = await tx
        .selectFrom('users')
        .select(userColumns)
        .where('id', '=', actor.userId)
        .forNoKeyUpdate()
        .executeTakeFirst()
      const row =
        Object.keys(changes).length === 0
          ? before
          : await tx
              .updateTable('users')
              .set(changes)
              .where('id', '=', actor.userId)
              .returning(userColumns)
              .executeTakeFirst()
      if (before === undefined || row === undefined) throw notFound('user not found')
      const user = presentUser(row)
      await audit(tx, user.name, { fields: Object.keys(changes) }, { changes: changesOf(before, changes) })
      return user
    })
  }
