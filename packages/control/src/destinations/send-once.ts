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

/** Longest wait for a response, ms. */
const withinMs = 15_000

/** The result of a single test request, with the request and the response without secrets. */
type SentOnce = {
  outcome: EventOutcome['kind']
  /** The reason for the outcome; '' for a delivered event. */
  reason: string
  http_status: number
  latency_ms: number
  request: string
  response: string
}

/** The result of a test that sends nothing. */
export const nothingSent = { outcome: 'none', http_status: 0, latency_ms: 0, request: '', response: '' } as const

/**
 * Returns the outcome of the only event or row. An error for which delivery would split a larger batch counts as
 * rejected.
 */
const outcomeOf = ({ outcomes }: DeliverResult): EventOutcome => {
  if (!('kind' in outcomes)) return outcomes[0] ?? { kind: 'delivered' }
  return outcomes.kind === 'split' ? { kind: 'rejected', reason: outcomes.reason } : outcomes
}

/** Returns the outcome for an error that a connector throws. Logs an unexpected error and hides its text. */
const thrown = (error: unknown, logger: ConnectorDeps['logger']): { outcome: EventOutcome; exchange?: Exchange } => {
  // An API error goes to the caller unchanged, because nothing was sent.
  if (error instanceof AppError) throw error
  if (!(error instanceof DeliveryError)) {
    logger.error({ err: error }, 'a test failed with a fault of the connector')
    return { outcome: { kind: 'retry', reason: 'The connector failed. Deliveries would be retried' } }
  }
  const outcome = { kind: error instanceof RejectedError ? 'rejected' : 'retry', reason: error.message } as const
  return error.exchange === undefined ? { outcome } : { outcome, exchange: error.exchange }
}

/**
 * Sends one event or row in the same way as delivery does. Returns the exchange with the destination, without secrets.
 */
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
