const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 7],
  ['week', 4.345],
  ['month', 12],
  ['year', Number.POSITIVE_INFINITY],
]

/** How long before `now` (epoch ms) a moment (RFC 3339) was, in the reader's language: "now", "2 min. ago". */
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

/** The exact moment in UTC to the millisecond: "2026-03-01 12:00:00.123 UTC". */
export const utcTime = (time: string): string => {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().replace('T', ' ').replace('Z', ' UTC')
}

// Making a format costs more than a hundred uses of it.
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' })

/** The time of day in the reader's locale, with seconds. */
export const clockTime = (time: string): string => {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? '' : clock.format(date)
}

/** The hour that begins with a moment, in the reader's locale: "14:00 – 15:00". */
export const hourSpan = (time: string, locale?: string): string => {
  const start = Date.parse(time)
  if (Number.isNaN(start)) return ''
  const format = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' })
  return `${format.format(start)} – ${format.format(start + 3_600_000)}`
}

/** Date and time of day in the reader's locale. */
export const localTime = (time: string): string => {
  const date = new Date(time)
  return Number.isNaN(date.getTime())
    ? ''
    : date.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
}

/** A duration (ms) in at most two units: "0.4 s", "12 s", "3 min 5 s", "2 h 10 min". */
export const elapsed = (ms: number): string => {
  const seconds = ms / 1000
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
}
