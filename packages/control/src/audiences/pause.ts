import { audit } from '@tributary/api-kit'
import { audienceName, readAudience, setAudience } from '@tributary/audiences'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'

/** Pauses an audience: it keeps its members as they are. */
export const pauseAudience =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.audiences.pause> =>
  async ({ actor, workspace, params }) => {
    const row = await readAudience(db, workspace.id, params.audience)
    await db.transaction().execute(async (tx) => {
      await setAudience(tx, row.id, { state: 'paused', failure: '' })
      await audit(tx, {
        actor,
        action: 'audiences.pause',
        resource: audienceName(workspace.id, row.id),
        organizationId: workspace.organizationId,
        workspaceId: workspace.id,
        time: new Date(clock()),
      })
    })
    return { state: 'paused' as const }
  }
