/** Returns a type in one line, in lower case unless it has names of fields. */
export const plainType = (type: string): string => {
  const line = type.replace(/\s+/g, ' ').trim()
  return line.includes('<') ? line : line.toLowerCase()
}

/** Whether a type has several values, or values of several types. Such values are read as JSON. */
export const isComposite = (type: string): boolean => /^(?:array|map|struct)\s*<|^variant\b|^object\b/i.test(type)

/** Whether a type is a moment, and not a local time. */
export const isMoment = (type: string): boolean => /^timestamp(?:_ltz)?$/i.test(type)

/** Microseconds since 1970 as a time in UTC: `2026-01-02 03:04:05.678901`. */
export const timeOfMicroseconds = (micros: string): string => {
  const whole = BigInt(micros)
  const rest = ((whole % 1_000_000n) + 1_000_000n) % 1_000_000n
  const date = new Date(Number((whole - rest) / 1000n))
  if (Number.isNaN(date.getTime())) return micros
  // Years before 1 and after 9999 keep the sign and the digits of ISO 8601.
  const [day = '', time = ''] = date.toISOString().split('T')
  return `${day} ${time.slice(0, 8)}.${String(rest).padStart(6, '0')}`
}
