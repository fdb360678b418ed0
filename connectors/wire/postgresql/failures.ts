import { ConfigurationError, DeliveryError, networkError, RetryableError } from '@tributary/connector-kit'
import { DatabaseError } from 'pg'

/** Returns the SQLSTATE of the server's error; '' for other errors, such as those of the network. */
export const stateOf = (error: unknown): string => (error instanceof DatabaseError ? (error.code ?? '') : '')

/** Returns the server's message, without `detail`, which can quote the values of a row. */
export const wordsOf = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error)
  const state = stateOf(error)
  return state === '' ? text : `${text} (${state})`
}

/**
 * Returns the cause of an SQLSTATE (PostgreSQL, appendix A): the row, the set-up, or a temporary state.
 * - The row: 22 data exception, 23 integrity constraint, 42804 and 42846 types, 44 check option, 21 cardinality, 54
 * limits, P0 an error that a trigger or function raised.
 * - The set-up: 28 authorization, 3D and 3F no such database or schema, 42 syntax and access rules, 0A not supported,
 * 2D and 25 except 25006.
 */
export const faultOf = (state: string): 'row' | 'configuration' | 'retry' => {
  if (/^(22|23|21|44|54|P0)/.test(state) || state === '42804' || state === '42846') return 'row'
  // A server that has become a standby accepts no rows for now.
  if (state === '25006') return 'retry'
  return /^(28|3D|3F|42|0A|0L|0P|2D|25|26|2F|34|38|39|3B)/.test(state) ? 'configuration' : 'retry'
}

/** Whether the tables have changed since they were read. */
export const isStale = (state: string): boolean => ['42P01', '42703', '42P10', '42804', '42704'].includes(state)

const hints: Readonly<Record<string, string>> = {
  '28P01': 'Wrong user or password',
  '28000': 'The server does not allow this user to connect (check pg_hba.conf)',
  '3D000': 'The database does not exist',
  '42501': 'The user is missing a privilege; see the setup guide',
  '53300': 'The server has no connections left',
}

/**
 * Converts an error of the driver, the server or the network to a DeliveryError, which decides the outcome of the
 * events.
 */
export const deliveryError = (error: unknown): DeliveryError => {
  if (error instanceof DeliveryError) return error
  const state = stateOf(error)
  if (state === '') {
    const text = error instanceof Error ? error.message : ''
    if (text.includes('does not support SSL')) return new ConfigurationError('The server does not offer TLS')
    // The driver's own errors have no code, such as those for a connection that ended, or an unusable password.
    const hasCode = error instanceof Error && 'code' in error
    const failure = hasCode
      ? networkError(error)
      : new RetryableError(text || 'The connection failed', { cause: error })
    return failure instanceof DeliveryError ? failure : new RetryableError(failure.message, { cause: error })
  }
  const hint = hints[state]
  const text = hint === undefined ? wordsOf(error) : `${hint}: ${wordsOf(error)}`
  if (faultOf(state) === 'configuration') return new ConfigurationError(text, undefined, error)
  return new RetryableError(text, { cause: error })
}
