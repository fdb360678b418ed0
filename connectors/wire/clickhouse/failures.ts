import {
  ConfigurationError,
  cutText,
  DataQueryError,
  DeliveryError,
  networkError,
  RetryableError,
} from '@tributary/connector-kit'

/** Number of lines before the user's statement in the sent statement. */
export const linesBefore = 1

/** An exception of the server: its code (ClickHouse, `ErrorCodes.cpp`) and message. */
export class ServerException extends Error {
  override readonly name = 'ServerException'
  readonly code: number
  constructor(code: number, words: string) {
    super(words)
    this.code = code
  }
}

const exception = /Code: (\d+)\. DB::Exception: ([\s\S]*)/

/** Maximum number of characters of the server's message that are kept. */
const maxWords = 500

/** Returns the exception at the end of a text; undefined if there is none. */
export const exceptionIn = (text: string): ServerException | undefined => {
  const [, code, words] = exception.exec(text) ?? []
  if (code === undefined || words === undefined) return undefined
  const version = words.indexOf('(version ')
  const said = (version >= 0 && words.includes(')', version) ? words.slice(0, version) : words)
    .replace(/^(?:Code: \d+\. DB::Exception: )+/, '')
    .trim()
  return new ServerException(Number(code), cutText(said, maxWords))
}

/** Thrown for a response without its end mark: the rows that were read until then are incomplete. */
export class UnfinishedAnswer extends RetryableError {}

/** Creates the error for a server that is not ClickHouse. */
export const notClickHouse = (cause: unknown): DeliveryError =>
  new ConfigurationError('The server does not respond as ClickHouse does', undefined, cause)

const hints: Readonly<Record<number, string>> = {
  81: 'The database does not exist',
  192: 'Wrong user or password',
  193: 'Wrong user or password',
  194: 'Wrong user or password',
  216: 'An earlier statement still runs',
  497: 'The user is missing a privilege; see the setup guide',
  516: 'Wrong user or password',
}

/**
 * Codes of temporary errors:
 * - too many queries (202, 439, 745), a killed query (394), a query with the ID of one that runs (216),
 * - networks of the server (209, 210, 236, 279, 425, 999),
 * - too slow (159, 160), no memory (241),
 * - unavailable replicas and shards (286, 319, 519).
 */
const passing = new Set([159, 160, 202, 209, 210, 216, 236, 241, 279, 286, 319, 394, 425, 439, 519, 745, 999])

/** Codes of errors during a query whose cause is the connection or the account. */
const lost = new Set([192, 193, 194, 202, 209, 210, 236, 279, 286, 319, 394, 425, 439, 516, 519, 745, 999])

/** Converts an error of the server or the network to a connection error. */
export const deliveryError = (error: unknown): DeliveryError => {
  if (error instanceof DeliveryError) return error
  if (error instanceof ServerException) {
    const { code, message } = error
    const hint = hints[code]
    const text = `${hint === undefined ? '' : `${hint}: `}${message} (${code})`
    return passing.has(code)
      ? new RetryableError(text, { cause: error })
      : new ConfigurationError(text, undefined, error)
  }
  // Node.js reports a response that is not HTTP with such a code.
  if (error instanceof Error && 'code' in error && String(error.code).startsWith('HPE_')) return notClickHouse(error)
  const failure = networkError(error)
  return failure instanceof DeliveryError ? failure : new RetryableError(failure.message, { cause: error })
}

const syntaxError = /^Syntax error(?: \([^)]*\))?: failed at position \d+ \(/
const behindToken = /\)(?: \(line (\d+), col \d+\))?:/

const wordsOf = ({ message, code }: ServerException): string => {
  const rest = message.slice(syntaxError.exec(message)?.[0].length ?? message.length)
  const behind = behindToken.exec(rest)
  if (behind === null) return `${message} (${code})`
  const [token, line] = [rest.slice(0, behind.index), behind[1]]
  const where = line === undefined ? '' : `Line ${Math.max(1, Number(line) - linesBefore)}: `
  return `${where}Syntax error at ${token.trim()} (${code})`
}

/** Converts an error of a query to a message for the query's author, or to a connection error. */
export const queryError = (error: unknown, statementMs: number): Error => {
  if (error instanceof DataQueryError) return error
  if (!(error instanceof ServerException) || lost.has(error.code)) return deliveryError(error)
  if (error.code === 159 || error.code === 160)
    return new DataQueryError(`The query did not finish within ${statementMs / 1000} seconds`, { cause: error })
  if (error.code === 164) return new DataQueryError(`Queries can only read: ${wordsOf(error)}`, { cause: error })
  return new DataQueryError(wordsOf(error), { cause: error })
}
