import { ConfigurationError, DeliveryError, networkError, RetryableError } from '@tributary/connector-kit'

/** Returns the number of the server's error; 0 for other errors, such as those of the network or the driver. */
export const errorNumber = (error: unknown): number =>
  error instanceof Error && 'sqlState' in error && 'errno' in error && typeof error.errno === 'number' ? error.errno : 0

/** Returns the server's message, with the error number. */
export const wordsOf = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error)
  const number = errorNumber(error)
  return number === 0 ? text : `${text} (${number})`
}

const hints: Readonly<Record<number, string>> = {
  1044: 'The user is missing a privilege; see the setup guide',
  1045: 'Wrong user or password',
  1049: 'The database does not exist',
  1130: 'The server does not allow this user to connect from here',
  1142: 'The user is missing a privilege; see the setup guide',
  1143: 'The user is missing a privilege; see the setup guide',
  1227: 'The user is missing a privilege; see the setup guide',
  1698: 'Wrong user or password',
  1040: 'The server has no connections left',
  1203: 'The user has no connections left',
}

/**
 * Numbers of temporary errors:
 * - no connections (1040, 1203, 1226), shutdown (1053), out of memory (1037, 1038, 1041),
 * - a broken connection (1047, 1152 to 1161, 1184),
 * - a table that is full, crashed or being repaired (1114, 1194, 1195),
 * - a killed connection or statement (1317, 1927), statements that took too long (1969, 3024),
 * - waits for locks and deadlocks (1205, 1213), a server that is temporarily read-only (1290, 1836).
 */
const passing = new Set([
  1037, 1038, 1040, 1041, 1047, 1053, 1114, 1152, 1153, 1154, 1155, 1156, 1157, 1158, 1159, 1160, 1161, 1184, 1194,
  1195, 1203, 1205, 1213, 1226, 1290, 1317, 1836, 1927, 1969, 3024,
])

/** Conversions of the driver's errors after a failed TLS connection, whose code hides the message of TLS. */
const ofDriver: Readonly<Record<string, (text: string) => DeliveryError>> = {
  HANDSHAKE_NO_SSL_SUPPORT: () => new ConfigurationError('The server does not offer TLS'),
  HANDSHAKE_SSL_ERROR: (text) => new RetryableError(`The certificate of the server is not trusted: ${text}`),
  HANDSHAKE_UNKNOWN_ERROR: () => new ConfigurationError('The server does not respond as MySQL or MariaDB does'),
  AUTH_SWITCH_PLUGIN_ERROR: (text) =>
    new ConfigurationError(`The user can't sign in with this kind of authentication: ${text}`),
  MYSQL_CLEAR_PASSWORD_NOT_ENABLED: () =>
    new ConfigurationError('The server asks for the password in plain text, and it is not sent that way'),
  PROTOCOL_CONNECTION_LOST: () => new RetryableError('The server closed the connection'),
  PROTOCOL_SEQUENCE_TIMEOUT: () => new RetryableError('The server does not respond'),
}

/**
 * Converts an error of the driver, the server or the network to a DeliveryError, which decides the outcome of the
 * events.
 */
export const deliveryError = (error: unknown): DeliveryError => {
  if (error instanceof DeliveryError) return error
  const number = errorNumber(error)
  if (number !== 0) {
    const hint = hints[number]
    const text = hint === undefined ? wordsOf(error) : `${hint}: ${wordsOf(error)}`
    if (passing.has(number)) return new RetryableError(text, { cause: error })
    return new ConfigurationError(text, undefined, error)
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const text = error instanceof Error ? error.message : ''
  const known = ofDriver[code]
  if (known !== undefined) return known(text)
  if (code === '') return new RetryableError(text || 'The connection failed', { cause: error })
  const failure = networkError(error)
  return failure instanceof DeliveryError ? failure : new RetryableError(failure.message, { cause: error })
}
