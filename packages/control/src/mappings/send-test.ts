import { audit } from '@tributary/api-kit'
import { type ConnectorDeps, type DestinationRow, readDestination, requireDefinition } from '@tributary/configuration'
import type { OutgoingEvent } from '@tributary/connector-kit'
import { type MethodResponse, type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { nothingSent, sendOnce } from '../destinations/send-once.ts'
import { countTry } from '../users/sign-in/count-tries.ts'
import { tryMapping } from './try-mapping.ts'

/** Maximum number of test events of one workspace in 15 minutes. */
const maxTests = 60

type Sent = Pick<
  MethodResponse<typeof methods.mappings.sendTest>,
  'outcome' | 'http_status' | 'latency_ms' | 'request' | 'response' | 'reason'
>

/** Sends one event in the same way as delivery does, and returns the exchange with the destination. */
const send = async (
  deps: ConnectorDeps & Pick<ControlDeps, 'catalog'>,
  row: DestinationRow,
  event: OutgoingEvent,
  signal: AbortSignal,
): Promise<Sent> => {
  const definition = await requireDefinition(deps.catalog, row, 'event_mapping')
  const sent = await sendOnce(deps, row, definition, signal, (context) => definition.deliver([event], context))
  // Only rows can be skipped, so a skipped event counts as delivered.
  return { ...sent, outcome: sent.outcome === 'skipped' ? 'delivered' : sent.outcome }
}

/**
 * Maps one event and sends it to a destination, even if the destination is disabled. Shows the request and the
 * response. The event is not retried, and not logged as a delivery. The audit record is written before, so that every
 * event that goes out has a known author.
 */
export const sendTestEvent =
  (
    deps: ConnectorDeps &
      Pick<ControlDeps, 'db' | 'catalog' | 'eventStore' | 'counters' | 'workShare' | 'profileValues'>,
  ): Handler<typeof methods.mappings.sendTest> =>
  async ({ workspace, params, body, signal }) => {
    const { db, catalog, counters } = deps
    const row = await readDestination(db, workspace.id, params.destination)
    const definition = await requireDefinition(catalog, row, 'event_mapping')
    const { shown, outgoing } = await tryMapping(deps, row, definition, body, signal)
    await countTry(
      counters,
      [[`test-events:${workspace.id}`, maxTests]],
      'Too many test events. Try again in 15 minutes',
    )
    await db.transaction().execute((tx) =>
      audit(tx, resourceNames.destination.format({ workspace: workspace.id, destination: row.id }), {
        action: body.event_mapping.destination,
        event: shown.event?.name ?? '',
        sent: outgoing !== undefined,
      }),
    )
    if (outgoing === undefined) return { ...shown, ...nothingSent }
    return { ...shown, ...(await send(deps, row, outgoing, signal)) }
  }
