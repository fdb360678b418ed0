/** The earliest valid event time, epoch ms. */
const earliest = 86_400_000

/**
 * Returns the time of an event by the server's clock, epoch ms. The client's clock may be wrong, but the difference
 * between its two times is right, hence `receivedAt − (sentAt − originalTimestamp)`. Without `sentAt`, the client's
 * time is used; without `originalTimestamp`, the time of receipt. A result that is after the receipt or before
 * `earliest` is replaced by the time of receipt. Source: Segment spec, common fields, "timestamp overview".
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
/** Caches the start of formatted times of recent minutes, by the low bits of the minute. */
const minutes = new Float64Array(64).fill(Number.NaN)
const beginnings = Array.from({ length: 64 }, () => '')

/**
 * Formats epoch ms as RFC 3339 in UTC with ms, like Date.toISOString. Formatting is fast if the minute is in the cache.
 */
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
