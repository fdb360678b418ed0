import { presentAudience, readAudience } from '@tributary/audiences'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { changeAudience } from './change.ts'
import { warnOfQuery } from './never-received.ts'

/** Changes title or query; the second of two changes of the same version fails with 409. */
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
