import type { QueryLimit } from './port.ts'

/**
 * Codes of the engine (ErrorCodes.cpp of ClickHouse), grouped by what the caller has to do. A code in neither table is
 * a fault of the deployment (missing table, wrong credentials). After a fix the same call succeeds, so its rows must
 * not be dropped.
 */
// biome-ignore format: a table
const rowCodes: ReadonlySet<number> = new Set([
  // Text of a value: CANNOT_PARSE_TEXT, …_ESCAPE_SEQUENCE, …_QUOTED_STRING, …_INPUT_ASSERTION_FAILED, …_DATE, …_DATETIME, …_NUMBER
  6, 25, 26, 27, 28, 29, 32, 33, 34, 38, 41, 72, 130, 131, 352, 376, 441, 467, 675, 676,
  // Meaning of a value: BAD_ARGUMENTS, TYPE_MISMATCH, ARGUMENT_OUT_OF_BOUND, INCORRECT_DATA, null where none may be, …
  36, 43, 44, 48, 53, 64, 68, 69, 70, 117, 190, 321, 349, 407, 469, 565, 645, 691,
  // Shape of the rows: too deep, too large (half of them may succeed), or a failure inside the engine (LOGICAL_ERROR)
  49, 78, 140, 167, 168, 306, 307,
])

// biome-ignore format: a table
const awayCodes: ReadonlySet<number> = new Set([
  // Time and load: TIMEOUT_EXCEEDED, TOO_SLOW, TOO_MANY_SIMULTANEOUS_QUERIES, TOO_MANY_PARTS, QUERY_WAS_CANCELLED, ABORTED
  159, 160, 202, 203, 236, 252, 290, 364, 373, 394, 473, 692, 745,
  // Memory and disk: MEMORY_LIMIT_EXCEEDED, NOT_ENOUGH_SPACE, CANNOT_ALLOCATE_MEMORY, CANNOT_SCHEDULE_TASK
  173, 241, 243, 439,
  // Network, replicas, access: DNS_ERROR, SOCKET_TIMEOUT, NETWORK_ERROR, TABLE_IS_READ_ONLY, AUTHENTICATION_FAILED
  198, 209, 210, 225, 242, 286, 289, 319, 335, 336, 341, 499, 516, 999,
])

/** MEMORY_LIMIT_EXCEEDED of one statement, not of the whole engine: half of its rows may succeed. */
const tooLargeForStatement = (code: number, message: string): boolean =>
  code === 241 && /Query memory limit|\(for query\)/.test(message)

/** Whether the engine rejects these rows together: the caller must drop one of them, or send them in parts. */
export const refusesRows = (code: number, message: string): boolean =>
  rowCodes.has(code) || tooLargeForStatement(code, message)

/**
 * Whether the engine is overloaded, has no memory, time or disk left, or has ended: the same call may succeed later.
 */
export const saysUnavailable = (code: number): boolean => awayCodes.has(code)

/**
 * The limit that ended a query: TIMEOUT_EXCEEDED and TOO_SLOW; MEMORY_LIMIT_EXCEEDED of the query, not of the whole
 * engine; TOO_MANY_ROWS, TOO_MANY_BYTES, TOO_MANY_ROWS_OR_BYTES. Undefined for any other error.
 */
export const limitExceeded = (code: number, message: string): QueryLimit | undefined => {
  if (code === 159 || code === 160) return 'time'
  if (tooLargeForStatement(code, message)) return 'memory'
  return code === 158 || code === 307 || code === 396 ? 'bytes' : undefined
}
