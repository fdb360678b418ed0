import { audit } from '@tributary/api-kit'
import {
  type DeliverResult,
  DeliveryError,
  type EventOutcome,
  type Exchange,
  hideSecrets,
  type OutgoingEvent,
  RejectedError,
} from '@tributary/connector-kit'
import { type MethodResponse, type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { AppError } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { type ConnectorDeps, callConnector } from '../destinations/call-connector.ts'
import { type DestinationRow, readDestination } from '../destinations/read.ts'
import { countTry } from '../users/sign-in/count-tries.ts'
import { requireDefinition } from './read.ts'
import { tryMapping } from './try-mapping.ts'

/** Longest wait for an answer, ms; and test events of one workspace in 15 minutes. */
const withinMs = 15_000
const maxTests = 60

type Sent = Pick<
  MethodResponse<typeof methods.mappings.sendTest>,
  'outcome' | 'http_status' | 'latency_ms' | 'request' | 'response' | 'reason'
>

const nothingSent: Omit<Sent, 'reason'> = { outcome: 'none', http_status: 0, latency_ms: 0, request: '', response: '' }

/** The outcome of the only event. What a larger batch would be divided for is its own fault. */
const outcomeOf = ({ outcomes }: DeliverResult): EventOutcome => {
  if (!('kind' in outcomes)) return outcomes[0] ?? { kind: 'delivered' }
  return outcomes.kind === 'split' ? { kind: 'rejected', reason: outcomes.reason } : outcomes
}

/** What a connector throws, as the outcome it stands for; a fault of its own is logged and says little. */
const thrown = (error: unknown, logger: ConnectorDeps['logger']): { outcome: EventOutcome; exchange?: Exchange } => {
  // Said to the caller as it is: nothing was sent.
  if (error instanceof AppError) throw error
  if (!(error instanceof DeliveryError)) {
    logger.error({ err: error }, 'a test event failed with a fault of the connector')
    return { outcome: { kind: 'retry', reason: 'The connector failed. Deliveries would be retried' } }
  }
  const outcome = { kind: error instanceof RejectedError ? 'rejected' : 'retry', reason: error.message } as const
  return error.exchange === undefined ? { outcome } : { outcome, exchange: error.exchange }
}

/** Sends one event as a delivery would, and tells what went over the wire, without secrets. */
const send = async (
  deps: ConnectorDeps & Pick<ControlDeps, 'catalog'>,
  row: DestinationRow,
  event: OutgoingEvent,
  signal: AbortSignal,
): Promise<Sent> => {
  const definition = await requireDefinition(deps.catalog, row, 'event_mapping')
  let hidden: readonly string[] = []
  let last: Exchange | undefined
  const began = performance.now()
  const options = { withinMs, signal, onExchange: (exchange: Exchange) => void (last = exchange) }
  const { outcome, exchange } = await callConnector(deps, row, definition, options, async (context, secrets) => {
    hidden = secrets
    const result = await definition.deliver([event], context)
    const { httpStatus, latencyMs, request, response } = result
    // What the connector itself keeps of a failure says more than the last request.
    const kept = request === undefined ? last : { httpStatus, latencyMs, request, response: response ?? '' }
    return { outcome: outcomeOf(result), exchange: kept ?? { httpStatus, latencyMs, request: '', response: '' } }
  }).catch((error: unknown) => ({ exchange: last, ...thrown(error, deps.logger) }))
  return {
    // Only rows are skipped.
    outcome: outcome.kind === 'skipped' ? 'delivered' : outcome.kind,
    reason: outcome.kind === 'delivered' ? '' : hideSecrets(outcome.reason, hidden),
    http_status: exchange?.httpStatus ?? 0,
    latency_ms: exchange?.latencyMs ?? Math.round(performance.now() - began),
    request: hideSecrets(exchange?.request ?? '', hidden),
    response: hideSecrets(exchange?.response ?? '', hidden),
  }
}

/**
 * Sends one event to a destination as a mapping makes it, whether or not the destination is switched on, and shows the
 * request and the answer. Not retried, not logged as a delivery. Written down first: nothing goes out of which nobody
 * knows who wanted it.
 */
export const sendTestEvent =
  (
    deps: ConnectorDeps & Pick<ControlDeps, 'db' | 'catalog' | 'eventStore' | 'counters' | 'workShare'>,
  ): Handler<typeof methods.mappings.sendTest> =>
  async ({ actor, workspace, params, body, signal }) => {
    const { db, catalog, counters, clock } = deps
    const row = await readDestination(db, workspace.id, params.destination)
    const definition = await requireDefinition(catalog, row, 'event_mapping')
    const { shown, outgoing } = await tryMapping(deps, row, definition, body, signal)
    await countTry(
      counters,
      [[`test-events:${workspace.id}`, maxTests]],
      'Too many test events. Try again in 15 minutes',
    )
    await db.transaction().execute((tx) =>
      audit(tx, {
        actor,
        action: 'mappings.sendTest',
        resource: resourceNames.destination.format({ workspace: workspace.id, destination: row.id }),
        organizationId: workspace.organizationId,
        workspaceId: workspace.id,
        detail: {
          action: body.event_mapping.destination,
          event: shown.event?.name ?? '',
          sent: outgoing !== undefined,
        },
        time: new Date(clock()),
      }),
    )
    if (outgoing === undefined) return { ...shown, ...nothingSent }
    return { ...shown, ...(await send(deps, row, outgoing, signal)) }
  }
