/** Whether a value is an object with readable properties: neither null nor an array. Does not check the properties. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
