const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 7],
  ['week', 4.345],
  ['month', 12],
  ['year', Number.POSITIVE_INFINITY],
]

/**
 * Formats how long before `now` (epoch ms) a time (RFC 3339) was, in the language of the reader: "now", "2 min. ago".
 */
export const relativeTime = (time: string, now: number, locale?: string): string => {
  let value = (Date.parse(time) - now) / 1000
  if (Number.isNaN(value)) return ''
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' })
  if (Math.abs(value) < 5) return format.format(0, 'second')
  for (const [unit, size] of steps) {
    if (Math.abs(value) < size) return format.format(Math.round(value), unit)
    value /= size
  }
  return ''
}

/** Formats a time in UTC to the millisecond: "2026-03-01 12:00:00.123 UTC". */
export const utcTime = (time: string): string => {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().replace('T', ' ').replace('Z', ' UTC')
}

// Created once: creating a format costs more than using it a hundred times.
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' })

/** Formats the time of day in the locale of the reader, with seconds. */
export const clockTime = (time: string): string => {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? '' : clock.format(date)
}

/** Formats the hour that begins at a time, in the locale of the reader: "14:00 – 15:00". */
export const hourSpan = (time: string, locale?: string): string => {
  const start = Date.parse(time)
  if (Number.isNaN(start)) return ''
  const format = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' })
  return `${format.format(start)} – ${format.format(start + 3_600_000)}`
}

/** Formats date and time of day in the locale of the reader. */
export const localTime = (time: string): string => {
  const date = new Date(time)
  return Number.isNaN(date.getTime())
    ? ''
    : date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
}

/** Formats a duration in ms with at most two units: "0.4 s", "12 s", "3 min 5 s", "2 h 10 min". */
export const elapsed = (ms: number): string => {
  const seconds = ms / 1000
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
}
