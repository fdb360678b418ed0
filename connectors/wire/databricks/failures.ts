import {
  ConfigurationError,
  cutText,
  DataQueryError,
  DeliveryError,
  isJsonObject,
  networkError,
  RetryableError,
} from '@tributary/connector-kit'

/**
 * A refusal of the API (docs.databricks.com/api/workspace/introduction, "Error handling"), or the failure of a
 * statement: the code, the SQLSTATE if there is one, and the server's own words.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly code: string
  readonly sqlState: string
  readonly retryAfterMs: number | undefined

  constructor(
    words: string,
    given: { status?: number; code?: string; sqlState?: string; retryAfterMs?: number | undefined },
  ) {
    super(words)
    this.status = given.status ?? 200
    this.code = given.code ?? ''
    this.sqlState = given.sqlState ?? ''
    this.retryAfterMs = given.retryAfterMs
  }
}

/** Thrown if the statement reached its limit of time. `isWaiting` means that its warehouse had not started. */
export class OutOfTime extends Error {
  override readonly name = 'OutOfTime'
  readonly seconds: number
  readonly isWaiting: boolean

  constructor(limitMs: number, isWaiting: boolean) {
    super('The statement did not finish in time')
    this.seconds = limitMs / 1000
    this.isWaiting = isWaiting
  }
}

/** Maximum number of characters of the server's words that are kept. */
const maxWords = 500

/** Returns the server's words without the copy of the statement that follows them. */
export const plainWords = (words: string): string => {
  const copy = words.indexOf('== SQL')
  return cutText((copy > 0 ? words.slice(0, copy) : words).replace(/\s+/g, ' ').trim(), maxWords).toWellFormed()
}

/** Creates the error for an answer that is not one of Databricks. */
export const notDatabricks = (cause?: unknown): DeliveryError =>
  new ConfigurationError('The server does not respond as Databricks does', undefined, cause)

const textIn = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')

/** Returns the error of an answer with another status than 200, by its status and the text of its body. */
export const refusalOf = (status: number, body: string, retryAfterMs: number | undefined): Error => {
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch {
    parsed = undefined
  }
  if (status >= 300 && status < 400)
    return new ConfigurationError(
      `The server redirects (status ${status}). Enter the host name of the workspace itself`,
    )
  const object = isJsonObject(parsed) ? parsed : {}
  // Older APIs and sign-in name the error in `error` (RFC 6749 §5.2).
  const words = plainWords(textIn(object.message) || textIn(object.error_description) || textIn(object.error))
  if (words !== '') return new Refusal(words, { status, code: textIn(object.error_code), retryAfterMs })
  const plain = `The server responded with status ${status}, and not as Databricks does`
  if (status === 429 || status >= 500)
    return new RetryableError(plain, retryAfterMs === undefined ? {} : { retryAfterMs })
  return new ConfigurationError(plain)
}

/**
 * Codes of temporary states (docs.databricks.com/api/workspace/statementexecution/getstatement, "error_code"). ABORTED
 * and CANCELLED are statements that another user or the server ended.
 */
const passing = new Set(
  (
    'INTERNAL_ERROR TEMPORARILY_UNAVAILABLE IO_ERROR SERVICE_UNDER_MAINTENANCE WORKSPACE_TEMPORARILY_UNAVAILABLE ' +
    'CANCELLED RESOURCE_EXHAUSTED REQUEST_LIMIT_EXCEEDED ABORTED'
  ).split(' '),
)

const isPassing = ({ status, code }: Refusal): boolean => status === 429 || status >= 500 || passing.has(code)

/** Whether a refusal is about the account, and not about a statement. */
const isAccount = ({ status, code }: Refusal): boolean =>
  status === 401 || status === 403 || status === 404 || code === 'UNAUTHENTICATED' || code === 'PERMISSION_DENIED'

/** How the message of a missing privilege begins. */
export const notAllowed = 'Not allowed; see the setup guide: '

const hintOf = ({ status, code, sqlState }: Refusal): string => {
  if (status === 401 || code === 'UNAUTHENTICATED') return 'Databricks does not accept the credentials: '
  // SQLSTATE 42501: insufficient privileges (docs.databricks.com/en/error-messages/sqlstates).
  if (status === 403 || sqlState === '42501') return notAllowed
  return status === 429 || code === 'RESOURCE_EXHAUSTED' ? 'Databricks limits the rate of requests: ' : ''
}

const isParserError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(?:HPE_|ERR_SSL_WRONG_VERSION)/.test(String(error.code))

/** Returns an error of this folder unchanged, and any other error as one of the network. */
export const failureOf = (error: unknown): Error => {
  if (error instanceof DeliveryError || error instanceof DataQueryError) return error
  if (error instanceof Refusal || error instanceof OutOfTime) return error
  // Node.js reports an answer that is not HTTP with such a code.
  return isParserError(error) ? notDatabricks(error) : networkError(error)
}

/** Converts an error to one of the connection, which decides the outcome of events. */
export const deliveryError = (error: unknown): DeliveryError => {
  if (error instanceof DeliveryError) return error
  if (error instanceof OutOfTime) {
    const words = error.isWaiting
      ? `The SQL warehouse did not start within ${error.seconds} seconds. Try again in a few minutes`
      : `Databricks did not finish a statement within ${error.seconds} seconds`
    return new RetryableError(words, { cause: error })
  }
  if (error instanceof Refusal) {
    const text = `${hintOf(error)}${error.message}`
    if (!isPassing(error)) return new ConfigurationError(text, undefined, error)
    const { retryAfterMs } = error
    return new RetryableError(text, { cause: error, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) })
  }
  const failure = failureOf(error)
  return failure instanceof DeliveryError ? failure : new RetryableError(failure.message, { cause: error })
}

/** Converts an error of a query to a message for the query's author, or to an error of the connection. */
export const queryError = (error: unknown, words: (message: string) => string = (message) => message): Error => {
  if (error instanceof DataQueryError) return error
  if (error instanceof OutOfTime && !error.isWaiting)
    return new DataQueryError(`The query did not finish within ${error.seconds} seconds`, { cause: error })
  if (!(error instanceof Refusal) || isPassing(error) || isAccount(error)) return deliveryError(error)
  // "Statements with disposition=INLINE are limited to 25 MiB" (the page of the API).
  if (/inline byte limit/i.test(error.message)) return new DataQueryError(tooLargeResult, { cause: error })
  return new DataQueryError(words(error.message), { cause: error })
}

/** The refusal of a result that is larger than Databricks puts into its answers. */
export const tooLargeResult =
  'The result has more than 25 MB, which is the most that Databricks sends. Select fewer columns or rows, or use a cursor'
