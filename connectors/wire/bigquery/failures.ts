import {
  ConfigurationError,
  cutText,
  DataQueryError,
  DeliveryError,
  isJsonObject,
  networkError,
  RetryableError,
} from '@tributary/connector-kit'

/** Maximum characters of Google's words that are kept. */
const maxWords = 1000

/**
 * An error that BigQuery answered, or that ended a job: its reason (docs.cloud.google.com/bigquery/docs/error-messages),
 * the HTTP status, and Google's own words.
 */
export class BigQueryError extends Error {
  override readonly name = 'BigQueryError'
  readonly reason: string
  readonly status: number
  readonly retryAfterMs: number | undefined

  constructor(
    words: string,
    { reason, status, retryAfterMs }: Pick<BigQueryError, 'reason' | 'status' | 'retryAfterMs'>,
  ) {
    super(cutText(words, maxWords).toWellFormed())
    this.reason = reason
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

/** Thrown for a response with more bytes than its limit. */
export class AnswerTooLarge extends RetryableError {
  constructor(maxBytes: number) {
    super(`BigQuery sent more than ${Math.round(maxBytes / 1024 / 1024).toLocaleString('en-US')} MB at once`)
  }
}

/** Creates the error for a response that does not have the documented form. */
export const notBigQuery = (detail: string, cause?: unknown): RetryableError =>
  new RetryableError(`The response is not one of BigQuery: ${detail}`, cause === undefined ? {} : { cause })

const textIn = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

/** Returns the error in an ErrorProto: `reason` and `message`. */
export const errorOfProto = (proto: unknown, status: number): BigQueryError => {
  const { reason, message } = isJsonObject(proto) ? proto : {}
  const words = textIn(message) ?? textIn(reason) ?? 'The job failed without a reason'
  return new BigQueryError(words, { reason: textIn(reason) ?? '', status, retryAfterMs: undefined })
}

/**
 * Returns the error of a response that is no success: Google's JSON (`error.errors[0].reason`, `error.message`), or the
 * status alone for anything else, such as the web page of a proxy.
 */
export const errorOfAnswer = (answer: { status: number; text: string }, retryAfterMs?: number): BigQueryError => {
  const { status } = answer
  let parsed: unknown
  try {
    parsed = JSON.parse(answer.text)
  } catch {
    parsed = undefined
  }
  const error = isJsonObject(parsed) ? parsed['error'] : undefined
  if (!isJsonObject(error)) {
    const isRedirect = status >= 300 && status < 400
    const words = `Google responded with status ${status}${isRedirect ? ', a redirect, which is not followed' : ''}`
    return new BigQueryError(words, { reason: '', status, retryAfterMs })
  }
  const { errors, message, status: name } = error
  const [first] = Array.isArray(errors) ? errors : []
  const { reason, message: detail } = isJsonObject(first) ? first : {}
  const words = textIn(message) ?? textIn(detail) ?? `Google responded with status ${status}`
  return new BigQueryError(words, { reason: textIn(reason) ?? textIn(name) ?? '', status, retryAfterMs })
}

/**
 * Reasons of temporary errors: those that Google's own clients repeat (retry.py of python-bigquery), and those whose
 * troubleshooting in the error table is to try again later.
 */
const passing = new Set([
  'backendError',
  'badGateway',
  'concurrentRequestLimitExceeded',
  'internalError',
  'jobBackendError',
  'jobInternalError',
  'jobRateLimitExceeded',
  'quotaExceeded',
  'rateLimitExceeded',
  'resourceInUse',
  'tableUnavailable',
  'userRateLimitExceeded',
  'RESOURCE_EXHAUSTED',
  'UNAVAILABLE',
])

/**
 * Words of temporary errors whose reason is `invalidQuery`: rate limits (github.com/googleapis/java-bigquery/issues/1426),
 * and conflicts of statements (docs.cloud.google.com/bigquery/docs/transactions, "Transaction concurrency").
 */
const passingWords =
  /Exceeded rate limits|Retrying (?:the job|may solve)|Could not serialize access|is aborted due to concurrent update/

/** Whether the same request may succeed later. */
export const isPassing = ({ reason, status, message }: BigQueryError): boolean =>
  passing.has(reason) ||
  status === 408 ||
  status === 429 ||
  (status >= 500 && status !== 501) ||
  passingWords.test(message)

const hints: Readonly<Record<string, string>> = {
  accessDenied: 'The service account is missing a role; see the setup guide',
  accessNotConfigured: 'The BigQuery API is not enabled in the project',
  authError: 'Google does not accept the service account',
  billingNotEnabled: 'The project has no billing account',
  blocked: 'Google has blocked the project',
  SERVICE_DISABLED: 'The BigQuery API is not enabled in the project',
}

/** Converts an error of BigQuery or of the network to a connection error. */
export const deliveryError = (error: unknown): DeliveryError => {
  if (error instanceof DeliveryError) return error
  if (error instanceof BigQueryError) {
    const { message, retryAfterMs } = error
    if (isPassing(error))
      return new RetryableError(message, { cause: error, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) })
    const hint = hints[error.reason] ?? (error.status === 401 ? hints['authError'] : undefined)
    return new ConfigurationError(`${hint === undefined ? '' : `${hint}: `}${message}`, undefined, error)
  }
  const failure = networkError(error)
  return failure instanceof DeliveryError ? failure : new RetryableError(failure.message, { cause: error })
}

/** Reasons of errors that are about a statement, and not about the connection. */
const ofStatement = new Set([
  'billingTierLimitExceeded',
  'bytesBilledLimitExceeded',
  'duplicate',
  'invalid',
  'invalidQuery',
  'notFound',
  'notImplemented',
  'resourcesExceeded',
  'responseTooLarge',
  'stopped',
  'timeout',
])

/** Whether access to a table is denied, and not to the project (cloud.google.com/bigquery/docs/troubleshoot-queries). */
const isDeniedTable = ({ reason, message }: BigQueryError): boolean =>
  reason === 'accessDenied' && !message.startsWith('Access Denied: Project')

/** Whether the project of the settings is missing, and not a table. */
const isMissingProject = ({ reason, message }: BigQueryError): boolean =>
  reason === 'notFound' && message.startsWith('Not found: Project')

/**
 * Converts an error of a statement to a message for the statement's author, or to a connection error. `statementMs` is
 * the limit of the statement.
 */
export const queryError = (error: unknown, statementMs: number): Error => {
  if (error instanceof DataQueryError) return error
  if (error instanceof AnswerTooLarge)
    return new DataQueryError(`The rows are too large: ${error.message}`, { cause: error })
  if (!(error instanceof BigQueryError) || isPassing(error) || isMissingProject(error)) return deliveryError(error)
  if (error.reason === 'timeout' || /^Job (?:timed out|execution was cancelled: Job timed out)/i.test(error.message))
    return new DataQueryError(`The query did not finish within ${statementMs / 1000} seconds`, { cause: error })
  if (ofStatement.has(error.reason) || isDeniedTable(error)) return new DataQueryError(error.message, { cause: error })
  return deliveryError(error)
}
