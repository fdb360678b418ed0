import { audit, changesOf } from '@tributary/api-kit'
import { type EventConditions, type methods, neededOfConditions, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { presentConnection, readConnection } from './read.ts'

/** Throws 400 if a filter compares values of the profile, which a connection does not have. */
const refuseProfile = ({ conditions }: EventConditions): void => {
  const index = conditions.findIndex((each) => neededOfConditions([each]).length > 0)
  if (index < 0) return
  const text = 'A filter of a connection has no values of the profile. Use a condition of a mapping'
  throw badRequest('VALIDATION', text, { [`filter.conditions.${index}.field`]: text })
}

/** Switches a connection on or off, or changes its filter. */
export const updateConnection =
  ({ db, catalog }: Pick<ControlDeps, 'db' | 'catalog'>): Handler<typeof methods.connections.update> =>
  async ({ workspace, params, body }) => {
    const { id, ...before } = await readConnection(db, workspace.id, params.connection)
    const { enabled, filter } = body
    if (filter !== undefined) refuseProfile(filter)
    if (enabled !== undefined || filter !== undefined) {
      await db.transaction().execute(async (tx) => {
        const changed = await tx
          .updateTable('connections')
          .set({
            ...(enabled === undefined ? {} : { enabled }),
            ...(filter === undefined ? {} : { filter: JSON.stringify(filter) }),
          })
          .where('id', '=', id)
          .returning('id')
          .executeTakeFirst()
        if (changed === undefined) return
        await audit(tx, resourceNames.connection.format({ workspace: workspace.id, connection: id }), body, {
          changes: changesOf(before, { enabled, filter }),
        })
      })
    }
    return await presentConnection(await readConnection(db, workspace.id, id), catalog)
  }
