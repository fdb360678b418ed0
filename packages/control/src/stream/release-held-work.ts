import { audit, isId, type Tx } from '@tributary/api-kit'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import { markOwnForRetry, releaseWork } from '@tributary/storage'
import type { ControlDeps } from '../deps.ts'
import { countRelease, keyOfRequest, keyOfWork } from './release-limit.ts'

type Held = { key: string; step: string; release: () => Promise<unknown> }

/** Finds held work and locks it, so that only one call can release it. Returns undefined if the work is not held. */
const findHeld = async (tx: Tx, workspaceId: string, id: string): Promise<Held | undefined> => {
  const work = await tx
    .selectFrom('held_work')
    .select(['item', 'step'])
    .where('id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .where('hold_time', 'is not', null)
    .forUpdate()
    .executeTakeFirst()
  if (work !== undefined)
    return {
      key: keyOfWork(work.item),
      step: work.step,
      // The count of blocked threads stays, so that the next one holds the work again.
      release: () => releaseWork(tx, workspaceId, id),
    }
  const request = await tx
    .selectFrom('set_aside_requests')
    .select(['id', 'meta'])
    .where('id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .where('body', 'is not', null)
    .where('take_back', '=', false)
    .forUpdate()
    .executeTakeFirst()
  return (
    request && {
      key: keyOfRequest(request),
      step: 'pipeline.steps',
      release: () => markOwnForRetry(tx, workspaceId, id),
    }
  )
}

/**
 * Releases held work that blocked a thread or could not be processed, so that it is tried again. The number of releases
 * is limited.
 */
export const releaseHeldWork =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.heldWork.release> =>
  ({ workspace, params: { held_work: id } }) =>
    db.transaction().execute(async (tx) => {
      const held = isId(id) ? await findHeld(tx, workspace.id, id) : undefined
      if (held === undefined) throw notFound('held work not found')
      await countRelease(tx, { key: held.key, workspaceId: workspace.id, now: clock() })
      await held.release()
      await audit(tx, resourceNames.heldWork.format({ workspace: workspace.id, held_work: id }), { step: held.step })
      return {}
    })
