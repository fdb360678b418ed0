import { audit, markSourceDeleted } from '@tributary/api-kit'
import { readSource } from '@tributary/configuration'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import { removeSyncsOf } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

/**
 * Deletes a source: revokes its keys, and removes its connections and the syncs that send to it. Its stored events stay
 * until they are too old.
 */
export const deleteSource =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.sources.delete> =>
  async ({ workspace, params }) => {
    const source = await readSource(db, workspace.id, params.source)
    const time = new Date(clock())
    await db.transaction().execute(async (tx) => {
      if (!(await markSourceDeleted(tx, source.id, time))) throw notFound('source not found')
      await tx
        .updateTable('write_keys')
        .set({ revoke_time: time })
        .where('source_id', '=', source.id)
        .where('revoke_time', 'is', null)
        .execute()
      await tx.deleteFrom('connections').where('source_id', '=', source.id).execute()
      await removeSyncsOf(tx, 'source_id', [source.id])
      await audit(tx, resourceNames.source.format({ workspace: workspace.id, source: source.id }), {
        title: source.title,
      })
    })
    return {}
  }
