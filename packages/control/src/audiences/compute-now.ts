import { audit } from '@tributary/api-kit'
import { audienceName, presentAudience, queueCompute, readAudience, setAudience } from '@tributary/audiences'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { conflict } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'

/** Queues the computation of an audience. */
export const computeAudienceNow =
  ({ db, jobs }: Pick<ControlDeps, 'db' | 'jobs'>): Handler<typeof methods.audiences.compute> =>
  async ({ workspace, params }) => {
    const row = await readAudience(db, workspace.id, params.audience)
    if (row.state === 'paused') throw conflict('AUDIENCE_PAUSED', 'The audience is paused. Resume it first')
    await db.transaction().execute(async (tx) => {
      await setAudience(tx, row.id, { state: 'computing', progress_step: null, progress_share: null })
      await queueCompute(tx, { jobs }, row)
      await audit(tx, audienceName(workspace.id, row.id))
    })
    return await presentAudience(db, await readAudience(db, workspace.id, row.id))
  }
