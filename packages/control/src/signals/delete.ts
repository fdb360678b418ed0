import { audit } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import { readSignal, removeSignal, signalName } from '@tributary/signals'
import type { ControlDeps } from '../deps.ts'

/** Deletes a signal with its conversions and counts. Conversions that are not in the stream yet are not sent. */
export const deleteSignal =
  ({ db }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.signals.delete> =>
  async ({ workspace, params }) => {
    const { id, title } = await readSignal(db, workspace.id, params.signal)
    await db.transaction().execute(async (tx) => {
      if (!(await removeSignal(tx, workspace.id, id))) throw notFound('signal not found')
      await audit(tx, signalName(workspace.id, id), { title })
    })
    return {}
  }
