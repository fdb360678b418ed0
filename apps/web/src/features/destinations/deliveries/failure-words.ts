import type { FailureGroup } from '@tributary/contract'
import { attemptCause } from '../../../lib/events/response-cause.ts'

/**
 * Returns the title of a cause. If the server only recorded a status, the title is the message of the last response.
 */
export const causeOf = ({
  reason,
  http_status,
  attempts,
  response,
}: Pick<FailureGroup, 'reason' | 'http_status' | 'attempts' | 'response'>): string =>
  reason === 'limit'
    ? 'Held too long'
    : reason !== ''
      ? attemptCause(reason, http_status ?? 0, response)
      : (http_status ?? 0) !== 0
        ? attemptCause(`HTTP ${http_status}`, http_status ?? 0, response)
        : attempts === 0
          ? 'Not attempted yet'
          : 'No response'

/** The difference between the two ways of sending dead letters again. */
export const retryAndReplay =
  'Retry sends all of them again now. Replay lets you choose by source, event, or time, shows the count before it starts, and can be stopped.'

/** The titles of the states of held deliveries. */
export const stateWords = {
  waiting: { title: 'Waiting', tone: 'warning' },
  dead: { title: 'Dead letter', tone: 'danger' },
} as const
