import { presentAudience, readAudience } from '@tributary/audiences'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { changeAudience } from './change.ts'
import { warnOfQuery } from './never-received.ts'

/**
 * Changes the title or query of an audience. If two changes are based on the same version, the second one fails with
 * 409.
 */
export const updateAudience =
  (deps: Pick<ControlDeps, 'db' | 'eventStore' | 'jobs' | 'clock'>): Handler<typeof methods.audiences.update> =>
  async ({ actor, workspace, params, body, signal }) => {
    const { db } = deps
    const row = await readAudience(db, workspace.id, params.audience)
    await db.transaction().execute((tx) => changeAudience(tx, deps, row, actor, body))
    const audience = await presentAudience(db, await readAudience(db, workspace.id, row.id))
    const warnings = body.query && (await warnOfQuery(deps, body.query, { workspaceId: workspace.id, signal }))
    return { ...audience, warnings: warnings ?? [] }
  }
