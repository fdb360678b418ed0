import { audit } from '@tributary/api-kit'
import { type ConnectorDeps, readDestination, requireDefinition } from '@tributary/configuration'
import { type OutgoingRow, RejectedError } from '@tributary/connector-kit'
import { type methods, outboundText, resourceNames, type SyncRowPreview } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest, newId } from '@tributary/kernel'
import { findRowObject, modelName, type SessionDeps } from '@tributary/syncs'
import type { ControlDeps } from '../../deps.ts'
import { nothingSent, sendOnce } from '../../destinations/send-once.ts'
import { countTry } from '../../users/sign-in/count-tries.ts'
import { type CheckedTrial, checkTrial, tryRow } from './try-row.ts'

/** Maximum number of test rows that one workspace can send in 15 minutes. */
const maxTests = 60

/** Returns a row in the form in which delivery passes rows to connectors. */
const outgoing = (
  { key, payload }: SyncRowPreview,
  operation: OutgoingRow['operation'],
  object: string,
): OutgoingRow => {
  const row = { recordId: `${newId()}.1`, operation, object, key, json: payload }
  return { ...row, text: outboundText(row) }
}

/** Returns the address of the object to which rows are written, as in a run. */
const addressOf = async (catalog: ControlDeps['catalog'], app: string, { body }: CheckedTrial): Promise<string> => {
  const { object, object_name: name, identifier } = body
  return (await findRowObject(catalog, app, object))?.address({ name, identifier }) ?? object
}

/**
 * Sends one row to a destination as a run of the sync would, even if the destination is disabled. Shows the request and
 * the response. The row is not retried, not logged as a delivery, and changes nothing in the sync. The audit record is
 * written before, so that every row that goes out has a known author.
 */
export const sendSyncTestRow =
  (deps: SessionDeps & ConnectorDeps & Pick<ControlDeps, 'counters'>): Handler<typeof methods.syncTestRows.send> =>
  async ({ workspace, body, signal }) => {
    const { db, catalog, counters } = deps
    const trial = await checkTrial(deps, workspace, body)
    const { target, model } = trial
    if (target.kind === 'source') {
      const text = 'Rows that become events have no test send. Send the source an event instead'
      throw badRequest('VALIDATION', text, { destination: text })
    }
    const row = await readDestination(db, workspace.id, target.id)
    const definition = await requireDefinition(catalog, row, 'destination')
    await countTry(counters, [[`test-rows:${workspace.id}`, maxTests]], 'Too many test rows. Try again in 15 minutes')
    const shown = await tryRow(deps, trial, signal)
    const sends = shown.payload !== ''
    await db.transaction().execute((tx) =>
      audit(tx, resourceNames.destination.format({ workspace: workspace.id, destination: row.id }), {
        model: modelName(workspace.id, model.id),
        object: body.object_name,
        operation: shown.operation,
        sent: sends,
      }),
    )
    const { operation } = shown
    if (!sends || operation === 'event') return { ...shown, ...nothingSent }
    const sent = outgoing(shown, operation, await addressOf(catalog, row.app, trial))
    const result = await sendOnce(deps, row, definition, signal, async (context) => {
      const delivered = await definition.deliverRows?.([sent], context)
      if (delivered === undefined) throw new RejectedError('This destination takes events only')
      return delivered
    })
    return { ...shown, ...result }
  }
