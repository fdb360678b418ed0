/** Times an event may carry: 1970-01-02 to before 2200, epoch ms. What lies outside counts as not given. */
const earliest = 86_400_000
const latest = Date.UTC(2200, 0, 1)

const digits = (text: string, at: number, count: number): number => {
  let value = 0
  for (let i = at; i < at + count; i++) {
    const digit = text.charCodeAt(i) - 48
    if (digit < 0 || digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  return value
}

/** Days from 1970-01-01 to a date of the Gregorian calendar. */
const daysBefore = (year: number, month: number, day: number): number => {
  const y = month > 2 ? year : year - 1
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

const lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Whether the Gregorian calendar has the day (Date.parse takes 31 February for 3 March). */
const isDay = (year: number, month: number, day: number): boolean => {
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return day >= 1 && day <= (lengths[month - 1] ?? 0) + (leap ? 1 : 0)
}

const within = (ms: number): number | undefined => (ms >= earliest && ms < latest ? ms : undefined)

/** `2026-01-31T10:20:30.123Z`, the form nearly every client sends, a few times faster than Date.parse. */
const parseCanonical = (text: string): number => {
  if (text.charCodeAt(23) !== 90 || text.charCodeAt(10) !== 84 || text.charCodeAt(19) !== 46) return Number.NaN
  if (text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45) return Number.NaN
  if (text.charCodeAt(13) !== 58 || text.charCodeAt(16) !== 58) return Number.NaN
  const year = digits(text, 0, 4)
  const month = digits(text, 5, 2)
  const day = digits(text, 8, 2)
  const hour = digits(text, 11, 2)
  const minute = digits(text, 14, 2)
  const second = digits(text, 17, 2)
  if (!(isDay(year, month, day) && hour < 24 && minute < 60 && second < 60)) return Number.NaN
  const days = daysBefore(year, month, day)
  return days * 86_400_000 + hour * 3_600_000 + minute * 60_000 + second * 1000 + digits(text, 20, 3)
}

const iso = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)?(Z|z|[+-]\d\d:?\d\d)?$/

/**
 * A client's time as epoch ms: RFC 3339 text (without a zone it is UTC), or a number of ms or, below 10^11, of seconds
 * since 1970. Undefined for anything else and for times outside 1970-01-02 … 2199.
 */
export const parseTime = (value: unknown): number | undefined => {
  if (typeof value === 'number') return within(Math.trunc(value < 1e11 ? value * 1000 : value))
  if (typeof value !== 'string') return undefined
  if (value.length === 24) {
    const ms = parseCanonical(value)
    if (ms === ms) return within(ms)
  }
  const match = iso.exec(value)
  if (match === null || !isDay(digits(value, 0, 4), digits(value, 5, 2), digits(value, 8, 2))) return undefined
  const text = value.replace(' ', 'T').replace(',', '.')
  const ms = Date.parse(text.length > 10 && match[1] === undefined ? `${text}Z` : text)
  return ms === ms ? within(ms) : undefined
}

/**
 * When the event happened by the server's clock: the client's clock may be wrong, but the distance between its own two
 * times is right, hence `receivedAt − (sentAt − originalTimestamp)`. Without a time of sending the client's time is
 * believed; without either it is the time of receipt. Never after the receipt.
 * Source: Segment spec, common fields, "timestamp overview".
 */
export const eventTime = (
  receivedAt: number,
  sentAt: number | undefined,
  originalTimestamp: number | undefined,
): number => {
  if (originalTimestamp === undefined) return receivedAt
  const time = sentAt === undefined ? originalTimestamp : receivedAt - (sentAt - originalTimestamp)
  return time > receivedAt || time < earliest ? receivedAt : time
}

const twoDigits = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'))
/** The beginnings of times of a few recent minutes, by the last bits of the minute. */
const minutes = new Float64Array(64).fill(Number.NaN)
const beginnings = Array.from({ length: 64 }, () => '')

/** Epoch ms as RFC 3339 in UTC with ms, like Date.toISOString; cheap for times of minutes met before. */
export const isoTime = (ms: number): string => {
  const minute = Math.floor(ms / 60_000)
  const slot = minute & 63
  if (minutes[slot] !== minute) {
    beginnings[slot] = new Date(minute * 60_000).toISOString().slice(0, 17)
    minutes[slot] = minute
  }
  const rest = ms - minute * 60_000
  const second = Math.floor(rest / 1000)
  const fraction = rest - second * 1000
  return `${beginnings[slot]}${twoDigits[second]}.${fraction < 100 ? '0' : ''}${fraction < 10 ? '0' : ''}${fraction}Z`
}
