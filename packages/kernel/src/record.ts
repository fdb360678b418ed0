/** Whether a value is an object whose properties can be looked at: neither null nor a list. Says nothing of what they are. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
