import { DatabaseError } from 'pg'

const networkCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
])
const connectionMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/

/** Whether the driver stopped waiting for the server's response (node-postgres, `query_timeout`). */
export const isReadTimeout = (error: unknown): boolean =>
  error instanceof Error && error.message === 'Query read timeout'

/**
 * Whether the call failed because PostgreSQL is unavailable, silent, starting, stopping, out of connections or too
 * slow. These are network errors, and SQLSTATE classes 08, 53, 57P0x and 57014. The same call may succeed later; the
 * outcome of the failed one is unknown.
 */
export const isRelationalUnavailable = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (error instanceof DatabaseError) return /^(08|53|57P0|57014)/.test(code)
  return isReadTimeout(error) || networkCodes.has(code) || connectionMessages.test(error.message)
}
