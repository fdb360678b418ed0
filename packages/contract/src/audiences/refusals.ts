/** The refusal of a query that exceeds the limits. */
export const queryTooLarge = {
  code: 400,
  reason: 'QUERY_TOO_LARGE',
  when: 'The query takes too much time or memory; the message says what to narrow.',
} as const

/** Refuses a change that was made from another version than the audience's; the message says whose the newer one is. */
export const audienceChanged = {
  code: 409,
  reason: 'AUDIENCE_CHANGED',
  when: 'Someone else changed the audience since `version`. Metadata has the `version` of now, its `author`, and its `time`.',
} as const
