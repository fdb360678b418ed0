import { audit } from '@tributary/api-kit'
import { audienceName, readAudience, setAudience } from '@tributary/audiences'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'

/** Pauses an audience: it keeps its members as they are. */
export const pauseAudience =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.audiences.pause> =>
  async ({ workspace, params }) => {
    const row = await readAudience(db, workspace.id, params.audience)
    await db.transaction().execute(async (tx) => {
      await setAudience(tx, row.id, { state: 'paused', failure: '' })
      await audit(tx, audienceName(workspace.id, row.id))
    })
    return { state: 'paused' as const }
  }
