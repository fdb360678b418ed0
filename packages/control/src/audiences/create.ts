import { audit, idFor } from '@tributary/api-kit'
import { audienceLimits, type methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { queueCompute } from './compute.ts'
import { audienceName, presentAudience, readAudience } from './read.ts'
import { checkReferences, lockAudiences } from './references.ts'
import { keepVersion } from './versions/versions.ts'

/** Saves an audience, and has it computed. */
export const createAudience =
  ({ db, jobs, clock }: Pick<ControlDeps, 'db' | 'jobs' | 'clock'>): Handler<typeof methods.audiences.create> =>
  async ({ actor, workspace, body }) => {
    const id = idFor(body.request_id, 'audiences', workspace.id)
    const time = new Date(clock())
    const query = JSON.stringify(body.query)
    await db.transaction().execute(async (tx) => {
      const known = await lockAudiences(tx, workspace.id)
      if (known.some((each) => each.id === id)) return
      if (known.length >= audienceLimits.audiences)
        throw badRequest('LIMIT_REACHED', `A workspace can have at most ${audienceLimits.audiences} audiences`)
      checkReferences(body.query, '', known)
      await tx
        .insertInto('audiences')
        .values({
          id,
          workspace_id: workspace.id,
          title: body.title,
          query,
          author_id: actor.userId,
          create_time: time,
          update_time: time,
        })
        .execute()
      await keepVersion(tx, { id, version: 1, title: body.title, query }, { actor, time })
      await audit(tx, {
        actor,
        action: 'audiences.create',
        resource: audienceName(workspace.id, id),
        organizationId: workspace.organizationId,
        workspaceId: workspace.id,
        detail: { title: body.title },
        time,
      })
      await queueCompute(tx, { jobs }, { id, version: 1 })
    })
    return await presentAudience(db, await readAudience(db, workspace.id, id))
  }
