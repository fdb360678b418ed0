/** The refusal of a query that exceeds the limits. */
export const queryTooLarge = {
  code: 400,
  reason: 'QUERY_TOO_LARGE',
  when: 'The query takes too much time or memory; the message says what to narrow.',
} as const

/**
 * The refusal of a change that is based on an older version of the audience. The message says who made the newer
 * version.
 */
export const audienceChanged = {
  code: 409,
  reason: 'AUDIENCE_CHANGED',
  when: 'Someone else changed the audience since `version`. Metadata has the `version` of now, its `author`, and its `time`.',
} as const
