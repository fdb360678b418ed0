import { audit, isId } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import type { AccessChanged, ControlDeps } from '../deps.ts'
import type { Sessions } from './sessions.ts'

/** Ends one session of the caller immediately, possibly the current one. */
export const deleteSession =
  ({
    db,
    clock,
    sessions,
    accessChanged,
  }: Pick<ControlDeps, 'db' | 'clock'> & { sessions: Sessions; accessChanged: AccessChanged }): Handler<
    typeof methods.sessions.delete
  > =>
  async ({ actor, params }) => {
    const { userId } = actor
    if (!isId(params.session)) throw notFound('session not found')
    await db.transaction().execute(async (tx) => {
      const time = new Date(clock())
      const found = await tx
        .selectFrom('sessions')
        .select('id')
        .where('id', '=', params.session)
        .where('user_id', '=', userId)
        .where('expire_time', '>', time)
        .forUpdate()
        .executeTakeFirst()
      if (found === undefined) throw notFound('session not found')
      await sessions.end(tx, params.session)
      await audit(tx, resourceNames.session.format(params))
    })
    accessChanged(userId)
    return {}
  }
