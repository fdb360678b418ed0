import {
  ConfigurationError,
  type DeliverResult,
  DeliveryError,
  type EventOutcome,
  RejectedError,
  RetryableError,
} from '@tributary/connector-kit'
import { backoffMs, type RetryPolicy } from '@tributary/kernel'

/** The next step for an event after an attempt. Times are epoch ms. */
export type Decision =
  | { kind: 'delivered' }
  | { kind: 'waiting'; nextTime: number; reason: string }
  | { kind: 'dead'; reason: string }

export type AttemptFacts = {
  /** Number of this attempt, from 1. */
  attempt: number
  /** When the event was first tried. */
  firstTime: number
  now: number
  random?: () => number
}

/**
 * Decides the next step after an outcome. Delivered, skipped (nothing left to do), and rejected are final. After
 * another failure, the event waits for its back-off, and at least as long as the destination asked for (capped). It
 * becomes a dead letter when the retry time since the first attempt is over. Failures of the settings never become dead
 * letters: only a user can fix them, and then the events are still there.
 */
export const decide = (
  outcome: EventOutcome,
  facts: AttemptFacts,
  policy: RetryPolicy,
  retryAfterCapMs: number,
): Decision => {
  if (outcome.kind === 'delivered' || outcome.kind === 'skipped') return { kind: 'delivered' }
  if (outcome.kind === 'rejected') return { kind: 'dead', reason: outcome.reason }
  if (outcome.misconfigured !== true && facts.now - facts.firstTime >= policy.maxElapsedMs)
    return { kind: 'dead', reason: `Retries exhausted: ${outcome.reason}` }
  const asked = Math.min(Math.max(outcome.retryAfterMs ?? 0, 0), retryAfterCapMs)
  const delay = Math.max(backoffMs(policy, facts.attempt, facts.random), asked)
  return { kind: 'waiting', nextTime: facts.now + delay, reason: outcome.reason }
}

/**
 * The outcome of the event at `index` of a batch. An event without an outcome counts as a retryable failure. If the
 * result asks to split a batch of one event, that event is the rejected one.
 */
export const outcomeAt = (result: DeliverResult, index: number): EventOutcome => {
  const { outcomes } = result
  if ('kind' in outcomes) return outcomes.kind === 'split' ? { kind: 'rejected', reason: outcomes.reason } : outcomes
  return outcomes[index] ?? { kind: 'retry', reason: 'The connector returned no status for this event' }
}

/** Converts an error thrown by a connector to a result for every event of the batch. */
export const resultOfError = (error: unknown): DeliverResult & { misconfigured: boolean } => {
  const exchange = error instanceof DeliveryError ? error.exchange : undefined
  const kept = {
    httpStatus: exchange?.httpStatus ?? 0,
    latencyMs: exchange?.latencyMs ?? 0,
    request: exchange?.request ?? '',
    response: exchange?.response ?? '',
    misconfigured: error instanceof ConfigurationError,
  }
  if (error instanceof RejectedError) return { outcomes: { kind: 'rejected', reason: error.message }, ...kept }
  const reason = error instanceof DeliveryError ? error.message : 'The connector failed'
  if (kept.misconfigured) return { outcomes: { kind: 'retry', reason, misconfigured: true }, ...kept }
  const retryAfterMs = error instanceof RetryableError ? error.retryAfterMs : undefined
  return { outcomes: { kind: 'retry', reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }, ...kept }
}
