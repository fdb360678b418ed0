import { readAudience } from '@tributary/audiences'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../../deps.ts'
import { changeAudience } from '../change.ts'
import { readVersion } from './get.ts'

/** Restores an audience to an earlier version, as a new version. */
export const restoreAudienceVersion =
  (deps: Pick<ControlDeps, 'db' | 'jobs' | 'clock'>): Handler<typeof methods.audiences.restoreVersion> =>
  async ({ actor, workspace, params, body }) => {
    const { db } = deps
    const row = await readAudience(db, workspace.id, params.audience)
    const { title, query, version } = await readVersion(db, row, params.version)
    const change = { title, query, version: body.current_version, restored: version }
    await db.transaction().execute((tx) => changeAudience(tx, deps, row, actor, change))
    const audience = await readAudience(db, workspace.id, row.id)
    const { query: _, ...made } = await readVersion(db, audience, String(audience.version))
    return made
  }
