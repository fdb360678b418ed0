import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { changeAudience } from './change.ts'
import { presentAudience, readAudience } from './read.ts'

/** Changes title or query; of two who change the same version one is told (409). */
export const updateAudience =
  (deps: Pick<ControlDeps, 'db' | 'jobs' | 'clock'>): Handler<typeof methods.audiences.update> =>
  async ({ actor, workspace, params, body }) => {
    const { db } = deps
    const row = await readAudience(db, workspace.id, params.audience)
    const by = { actor, organizationId: workspace.organizationId }
    await db.transaction().execute((tx) => changeAudience(tx, deps, row, by, body))
    return await presentAudience(db, await readAudience(db, workspace.id, row.id))
  }
