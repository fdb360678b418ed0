import type { FailureGroup } from '@tributary/contract'

/** What a cause is called. */
export const causeOf = ({
  reason,
  http_status,
  attempts,
}: Pick<FailureGroup, 'reason' | 'http_status' | 'attempts'>) =>
  reason === 'limit'
    ? 'Waited for too long'
    : reason !== ''
      ? reason
      : http_status !== null
        ? `Answered with status ${http_status}`
        : attempts === 0
          ? 'Not tried yet'
          : 'No answer'

/** How the states of what is held are shown. */
export const stateWords = {
  waiting: { title: 'Waiting', tone: 'warning' },
  dead: { title: 'Dead letter', tone: 'danger' },
} as const
