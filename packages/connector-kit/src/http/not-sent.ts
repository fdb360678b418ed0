import type { EventOutcome } from '../definition/definition.ts'
import type { DeliveryError } from '../errors.ts'

/** The outcome of rows that were not sent because of an earlier failure: the same one, as a retry. */
export const notSent = (failure: DeliveryError | undefined): EventOutcome => ({
  kind: 'retry',
  reason: failure?.message ?? 'Not sent, because an earlier request is retried',
  ...(failure?.name === 'ConfigurationError' ? { misconfigured: true } : {}),
})
