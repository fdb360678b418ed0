import { audit } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { conflict, notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { queueCompute } from './compute.ts'
import { audienceName, presentAudience, readAudience } from './read.ts'
import { checkDependents, checkReferences, lockAudiences } from './references.ts'

/** Changes title or query; of two who change the query of the same version one is told (409). */
export const updateAudience =
  ({ db, jobs, clock }: Pick<ControlDeps, 'db' | 'jobs' | 'clock'>): Handler<typeof methods.audiences.update> =>
  async ({ actor, workspace, params, body }) => {
    const { id } = await readAudience(db, workspace.id, params.audience)
    const { title, query, version } = body
    const time = new Date(clock())
    await db.transaction().execute(async (tx) => {
      const known = await lockAudiences(tx, workspace.id)
      const row = await tx.selectFrom('audiences').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
      if (row === undefined) throw notFound('audience not found')
      if (query !== undefined && version !== undefined && version !== row.version)
        throw conflict('AUDIENCE_CHANGED', 'Someone else changed this audience. Reload it', {
          version: String(row.version),
        })
      const isNew = query !== undefined && JSON.stringify(query) !== row.query
      if (isNew) {
        checkReferences(query, audienceName(workspace.id, id), known)
        checkDependents(workspace.id, id, query, known)
      }
      const next = row.version + (isNew ? 1 : 0)
      await tx
        .updateTable('audiences')
        .set({
          ...(title === undefined ? {} : { title }),
          ...(isNew ? { query: JSON.stringify(query), version: next, state: 'computing', failure: '' } : {}),
          author_id: actor.userId,
          update_time: time,
        })
        .where('id', '=', id)
        .execute()
      await audit(tx, {
        actor,
        action: 'audiences.update',
        resource: audienceName(workspace.id, id),
        organizationId: workspace.organizationId,
        workspaceId: workspace.id,
        detail: { ...(title === undefined ? {} : { title }), ...(isNew ? { version: next } : {}) },
        time,
      })
      if (isNew) await queueCompute(tx, { jobs }, { id, version: next })
    })
    return await presentAudience(db, await readAudience(db, workspace.id, id))
  }
