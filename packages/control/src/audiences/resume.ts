import { audit } from '@tributary/api-kit'
import { audienceName, queueCompute, readAudience, setAudience } from '@tributary/audiences'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'

/** Resumes an audience and queues its computation, which covers everything that happened during the pause. */
export const resumeAudience =
  ({ db, jobs }: Pick<ControlDeps, 'db' | 'jobs'>): Handler<typeof methods.audiences.resume> =>
  async ({ workspace, params }) => {
    const row = await readAudience(db, workspace.id, params.audience)
    await db.transaction().execute(async (tx) => {
      await setAudience(tx, row.id, { state: 'computing', failure: '', progress_step: null, progress_share: null })
      await queueCompute(tx, { jobs }, row)
      await audit(tx, audienceName(workspace.id, row.id))
    })
    return { state: 'computing' as const }
  }
