import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { auditSignal } from './change.ts'
import { readSignal } from './read.ts'

/** Deletes a signal with its conversions and counts; what is not in the stream yet is not sent. */
export const deleteSignal =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.signals.delete> =>
  async ({ actor, workspace, params }) => {
    const { id, title } = await readSignal(db, workspace.id, params.signal)
    await db.transaction().execute(async (tx) => {
      const deleted = await tx.deleteFrom('signals').where('id', '=', id).returning('id').executeTakeFirst()
      if (deleted === undefined) throw notFound('signal not found')
      await tx
        .deleteFrom('signal_outbox')
        .where('workspace_id', '=', workspace.id)
        .where('signal_id', '=', id)
        .execute()
      await auditSignal(tx, 'delete', { actor, workspace, id, detail: { title }, time: new Date(clock()) })
    })
    return {}
  }
