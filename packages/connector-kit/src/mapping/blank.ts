/** Whether a value counts as absent: undefined, null, or a blank text. */
export const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
