import type { EventOutcome } from '../definition/definition.ts'
import { ConfigurationError, DeliveryError, RejectedError, RetryableError } from '../errors.ts'

/** Returns the outcome of events whose request failed; rethrows an error of the connector itself. */
export const failedOutcome = (error: unknown): EventOutcome => {
  if (!(error instanceof DeliveryError)) throw error
  if (error instanceof RejectedError) return { kind: 'rejected', reason: error.message }
  const misconfigured = error instanceof ConfigurationError ? { misconfigured: true } : {}
  const { retryAfterMs } = error instanceof RetryableError ? error : {}
  return {
    kind: 'retry',
    reason: error.message,
    ...misconfigured,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}
