import { type ConnectorDeps, callConnector, type DestinationRow } from '@tributary/configuration'
import {
  type DeliverContext,
  type DeliverResult,
  DeliveryError,
  type DestinationDefinition,
  type EventOutcome,
  type Exchange,
  hideSecrets,
  RejectedError,
} from '@tributary/connector-kit'
import { AppError } from '@tributary/kernel'

/** Longest wait for an answer, ms. */
const withinMs = 15_000

/** The outcome of a single test request, and the request and response without secrets. */
type SentOnce = {
  outcome: EventOutcome['kind']
  /** The reason, unless it was delivered. */
  reason: string
  http_status: number
  latency_ms: number
  request: string
  response: string
}

/** The result of a try in which nothing was sent. */
export const nothingSent = { outcome: 'none', http_status: 0, latency_ms: 0, request: '', response: '' } as const

/** The outcome of the only event or row. An error that would divide a larger batch is the fault of this one. */
const outcomeOf = ({ outcomes }: DeliverResult): EventOutcome => {
  if (!('kind' in outcomes)) return outcomes[0] ?? { kind: 'delivered' }
  return outcomes.kind === 'split' ? { kind: 'rejected', reason: outcomes.reason } : outcomes
}

/** The outcome for an error that a connector throws; an unexpected error is logged, and its text is hidden. */
const thrown = (error: unknown, logger: ConnectorDeps['logger']): { outcome: EventOutcome; exchange?: Exchange } => {
  // Passed on unchanged to the caller, because nothing was sent.
  if (error instanceof AppError) throw error
  if (!(error instanceof DeliveryError)) {
    logger.error({ err: error }, 'a test failed with a fault of the connector')
    return { outcome: { kind: 'retry', reason: 'The connector failed. Deliveries would be retried' } }
  }
  const outcome = { kind: error instanceof RejectedError ? 'rejected' : 'retry', reason: error.message } as const
  return error.exchange === undefined ? { outcome } : { outcome, exchange: error.exchange }
}

/** Delivers one event or row as a delivery would, and returns the exchange with the destination, without secrets. */
export const sendOnce = async (
  deps: ConnectorDeps,
  row: DestinationRow,
  definition: DestinationDefinition,
  signal: AbortSignal,
  deliver: (context: DeliverContext) => Promise<DeliverResult>,
): Promise<SentOnce> => {
  let hidden: readonly string[] = []
  let last: Exchange | undefined
  const began = performance.now()
  const options = { withinMs, signal, onExchange: (exchange: Exchange) => void (last = exchange) }
  const { outcome, exchange } = await callConnector(deps, row, definition, options, async (context, secrets) => {
    hidden = secrets
    const result = await deliver(context)
    const { httpStatus, latencyMs, request, response } = result
    // The connector's own details of a failure are more precise than the last request.
    const kept = request === undefined ? last : { httpStatus, latencyMs, request, response: response ?? '' }
    return { outcome: outcomeOf(result), exchange: kept ?? { httpStatus, latencyMs, request: '', response: '' } }
  }).catch((error: unknown) => ({ exchange: last, ...thrown(error, deps.logger) }))
  return {
    outcome: outcome.kind,
    reason: outcome.kind === 'delivered' ? '' : hideSecrets(outcome.reason, hidden),
    http_status: exchange?.httpStatus ?? 0,
    latency_ms: exchange?.latencyMs ?? Math.round(performance.now() - began),
    request: hideSecrets(exchange?.request ?? '', hidden),
    response: hideSecrets(exchange?.response ?? '', hidden),
  }
}
