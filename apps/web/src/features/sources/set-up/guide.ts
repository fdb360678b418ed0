/** A key with all but its first four characters hidden. */
export const maskKey = (key: string): string => `${key.slice(0, 4)}${'•'.repeat(16)}`
