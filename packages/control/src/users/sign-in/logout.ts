import { audit } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { AccessChanged, ControlDeps } from '../../deps.ts'
import type { Sessions } from '../../sessions/sessions.ts'

/** Ends the session of the call. */
export const logout =
  ({
    db,
    sessions,
    accessChanged,
  }: Pick<ControlDeps, 'db'> & { sessions: Sessions; accessChanged: AccessChanged }): Handler<
    typeof methods.users.logout
  > =>
  async ({ actor }) => {
    await db.transaction().execute(async (tx) => {
      await sessions.end(tx, actor.sessionId)
      await audit(tx, resourceNames.user.format({ user: actor.userId }))
    })
    accessChanged(actor.userId)
    return {}
  }
