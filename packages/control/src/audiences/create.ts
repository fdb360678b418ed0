import { audit, idFor, type Tx } from '@tributary/api-kit'
import {
  audienceName,
  checkReferences,
  insertAudience,
  type KnownAudience,
  lockAudiences,
  presentAudience,
  queueCompute,
  readAudience,
} from '@tributary/audiences'
import { withinPlan } from '@tributary/billing'
import { type AudienceQuery, audienceLimits, type methods } from '@tributary/contract'
import type { Handler, WorkspaceRef } from '@tributary/http'
import { type Actor, badRequest } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { warnOfQuery } from './never-received.ts'
import { keepVersion } from './versions/versions.ts'

/** An audience to be created. The audit log stores `detail` beside the title. */
type NewAudience = {
  id: string
  workspace: WorkspaceRef
  title: string
  query: AudienceQuery
  actor: Actor
  time: Date
  detail?: Record<string, string | number>
}

/**
 * Stores a new audience and queues its computation. The transaction must hold the lock on all audiences; `known` is the
 * result of `lockAudiences`. Returns false if an audience with this ID exists. Throws 400 if the workspace has the
 * maximum number of audiences.
 */
export const addAudience = async (
  tx: Tx,
  { jobs, billing }: Pick<ControlDeps, 'jobs' | 'billing'>,
  { id, workspace, title, query, actor, time, detail = {} }: NewAudience,
  known: readonly KnownAudience[],
): Promise<boolean> => {
  if (known.some((each) => each.id === id)) return false
  if (known.length >= audienceLimits.audiences)
    throw badRequest('LIMIT_REACHED', `A workspace can have at most ${audienceLimits.audiences} audiences`)
  const text = JSON.stringify(query)
  await insertAudience(tx, {
    id,
    workspace_id: workspace.id,
    title,
    query: text,
    author_id: actor.userId,
    create_time: time,
    update_time: time,
  })
  await withinPlan(tx, { billing, clock: () => time.getTime() }, workspace.organizationId, 'audiences')
  await keepVersion(tx, { id, version: 1, title, query: text }, { actor, time })
  await audit(tx, audienceName(workspace.id, id), { title, ...detail }, { action: 'audiences.create' })
  await queueCompute(tx, { jobs }, { id, version: 1 })
  return true
}

/** Stores a new audience and queues its computation. */
export const createAudience =
  ({
    db,
    eventStore,
    jobs,
    billing,
    clock,
  }: Pick<ControlDeps, 'db' | 'eventStore' | 'jobs' | 'billing' | 'clock'>): Handler<typeof methods.audiences.create> =>
  async ({ actor, workspace, body: { title, query, request_id }, signal }) => {
    const id = idFor(request_id, 'audiences', workspace.id)
    const time = new Date(clock())
    await db.transaction().execute(async (tx) => {
      const known = await lockAudiences(tx, workspace.id)
      checkReferences(query, '', known)
      await addAudience(tx, { jobs, billing }, { id, workspace, title, query, actor, time }, known)
    })
    const audience = await presentAudience(db, await readAudience(db, workspace.id, id))
    return {
      ...audience,
      warnings: await warnOfQuery({ db, eventStore }, query, { workspaceId: workspace.id, signal }),
    }
  }
