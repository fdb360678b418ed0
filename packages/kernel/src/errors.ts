/** The body of every error response (go-kratos style): all four keys are always present. */
export type ErrorBody = {
  /** HTTP status. */
  code: number
  /** Stable name of the error for programs: UPPER_SNAKE, at most 63 characters. */
  reason: string
  /** The cause and the solution, for users. */
  message: string
  /** Dynamic values; for form errors the key is the field's name. */
  metadata: Record<string, string>
}

/**
 * An expected failure with a user-readable message and a stable reason. Any other thrown error is a fault, which is
 * logged and returned as 500 without its message.
 */
export class AppError extends Error {
  readonly code: number
  readonly reason: string
  readonly metadata: Record<string, string>

  constructor(code: number, reason: string, message: string, metadata: Record<string, string> = {}) {
    super(message)
    this.name = 'AppError'
    this.code = code
    this.reason = reason
    this.metadata = metadata
  }

  toBody(): ErrorBody {
    return { code: this.code, reason: this.reason, message: this.message, metadata: this.metadata }
  }
}

/** Creates a 400: the request is malformed or breaks a rule; `metadata` names the fields. */
export const badRequest = (reason: string, message: string, metadata?: Record<string, string>): AppError =>
  new AppError(400, reason, message, metadata)

/** Creates a 401: there is no session, or the session has ended. */
export const unauthorized = (message: string, reason = 'UNAUTHORIZED'): AppError => new AppError(401, reason, message)

/** Creates a 403: the caller is authenticated, but may not do this. */
export const forbidden = (message = 'You are not authorized to do this', reason = 'FORBIDDEN'): AppError =>
  new AppError(403, reason, message)

/** Creates a 404: the resource does not exist, or the caller cannot see it. */
export const notFound = (message: string, reason = 'NOT_FOUND'): AppError => new AppError(404, reason, message)

/** Creates a 409: another write came first, or the name is taken. */
export const conflict = (reason: string, message: string, metadata?: Record<string, string>): AppError =>
  new AppError(409, reason, message, metadata)

/** Creates a 429: too many calls. The caller can retry after `retryAfterMs`, which is sent in whole seconds. */
export const rateLimited = (message: string, retryAfterMs: number): AppError =>
  new AppError(429, 'RATE_LIMITED', message, { retry_after: String(Math.ceil(retryAfterMs / 1000)) })
