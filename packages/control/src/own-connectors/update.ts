import { audit, changesOf } from '@tributary/api-kit'
import { type methods, ownConnectorLimits, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest, conflict } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { lockOwnConnector, showOwnConnector } from './read.ts'

/** Throws 409 if the draft is no longer the one that a caller has. */
export const requireRevision = (row: { draft_revision: number }, given: number | undefined): void => {
  if (given !== undefined && given !== row.draft_revision)
    throw conflict('DRAFT_CHANGED', 'The draft was changed meanwhile. Reload the page to see the change')
}

/** Changes the title or the draft of an own connector. Its destinations stay as they are. */
export const updateOwnConnector =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.ownConnectors.update> =>
  async ({ workspace, params, body }) => {
    const { title, description, guide, draft_revision: revision } = body
    const most = ownConnectorLimits.descriptionBytes
    if (description !== undefined && Buffer.byteLength(description) > most) {
      const text = `The description has more than ${most / 1024} KB`
      throw badRequest('VALIDATION', text, { description: text })
    }
    const time = new Date(clock())
    await db.transaction().execute(async (tx) => {
      const row = await lockOwnConnector(tx, workspace.id, params.own_connector)
      requireRevision(row, revision)
      const after = {
        title: title ?? row.title,
        draft_description: description ?? row.draft_description,
        draft_guide: guide ?? row.draft_guide,
      }
      const changes = changesOf(row, after)
      if (Object.keys(changes).length === 0) return
      const isDraft = changes['draft_description'] !== undefined || changes['draft_guide'] !== undefined
      await tx
        .updateTable('own_connectors')
        .set({ ...after, draft_revision: row.draft_revision + (isDraft ? 1 : 0), update_time: time })
        .where('id', '=', row.id)
        .execute()
      await audit(
        tx,
        resourceNames.ownConnector.format({ workspace: workspace.id, own_connector: row.id }),
        { title: after.title },
        { changes },
      )
    })
    return await showOwnConnector(db, workspace.id, params.own_connector)
  }
