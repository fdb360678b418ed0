import { readTime } from '@tributary/kernel'

/** Returns the outcome of an event by HTTP status: RFC 9110 §15, with 408 and 429 as the transient 4xx codes. */
export const classifyStatus = (status: number): 'delivered' | 'retry' | 'rejected' => {
  if (status >= 200 && status < 300) return 'delivered'
  if (status === 408 || status === 429 || status >= 500) return 'retry'
  return 'rejected'
}

/** Maximum `Retry-After` that is respected, in ms. */
export const retryAfterCapMs = 3_600_000

/**
 * Parses `Retry-After` (RFC 9110 §10.2.3: seconds or an HTTP date) to milliseconds from `now`, between 0 and the
 * maximum; undefined if it is absent or invalid.
 */
export const parseRetryAfter = (
  value: string | undefined,
  now: number,
  capMs = retryAfterCapMs,
): number | undefined => {
  const text = value?.trim()
  if (text === undefined || text === '') return undefined
  const time = /^\d+$/.test(text) ? now + Number(text) * 1000 : readTime(text)
  if (time === undefined) return undefined
  const ms = time - now
  return Math.min(Math.max(ms, 0), capMs)
}
