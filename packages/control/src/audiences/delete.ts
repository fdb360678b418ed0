import { audit } from '@tributary/api-kit'
import { audienceName, dependentsOf, lockAudiences, removeAudience } from '@tributary/audiences'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { conflict, notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'

/**
 * Deletes an audience with its models and their syncs, even during its computation. Throws 409 if other audiences refer
 * to it.
 */
export const deleteAudience =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.audiences.delete> =>
  async ({ workspace, params }) => {
    const name = audienceName(workspace.id, params.audience)
    await db.transaction().execute(async (tx) => {
      const known = await lockAudiences(tx, workspace.id)
      const found = known.find((each) => each.name === name)
      if (found === undefined) throw notFound('audience not found')
      const dependents = dependentsOf(name, known)
      if (dependents.length > 0)
        throw conflict(
          'AUDIENCE_IN_USE',
          `Other audiences depend on this one: ${dependents.map(({ title }) => title).join(', ')}. Change or delete them first`,
        )
      await removeAudience(tx, found.id)
      await audit(tx, name, { title: found.title })
    })
    return {}
  }
