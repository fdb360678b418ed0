import type { EventOutcome } from '../definition/definition.ts'
import type { DeliveryError } from '../errors.ts'

/**
 * Returns the outcome of rows that were not sent because an earlier row failed: a retry with the reason of that
 * failure.
 */
export const notSent = (failure: DeliveryError | undefined): EventOutcome => ({
  kind: 'retry',
  reason: failure?.message ?? 'Not sent, because an earlier request is retried',
  ...(failure?.name === 'ConfigurationError' ? { misconfigured: true } : {}),
})
