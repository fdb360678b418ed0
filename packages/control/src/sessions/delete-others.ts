import { audit } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { AccessChanged, ControlDeps } from '../deps.ts'
import type { Sessions } from './sessions.ts'

/** Ends every session of the caller except for the current one, immediately. */
export const deleteOtherSessions =
  ({
    db,
    sessions,
    accessChanged,
  }: Pick<ControlDeps, 'db'> & { sessions: Sessions; accessChanged: AccessChanged }): Handler<
    typeof methods.sessions.deleteOthers
  > =>
  async ({ actor }) => {
    const { userId } = actor
    await db.transaction().execute(async (tx) => {
      await sessions.endOthers(tx, userId, actor.sessionId)
      await audit(tx, resourceNames.user.format({ user: userId }))
    })
    accessChanged(userId)
    return {}
  }
