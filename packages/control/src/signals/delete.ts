import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import { readSignal, removeSignal } from '@tributary/signals'
import type { ControlDeps } from '../deps.ts'
import { auditSignal } from './change.ts'

/** Deletes a signal with its conversions and counts; conversions that are not in the stream yet are not sent. */
export const deleteSignal =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.signals.delete> =>
  async ({ actor, workspace, params }) => {
    const { id, title } = await readSignal(db, workspace.id, params.signal)
    await db.transaction().execute(async (tx) => {
      if (!(await removeSignal(tx, workspace.id, id))) throw notFound('signal not found')
      await auditSignal(tx, 'delete', { actor, workspace, id, detail: { title }, time: new Date(clock()) })
    })
    return {}
  }
