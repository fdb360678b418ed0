import type { IncomingMessage, ServerResponse } from 'node:http'
import { asApiError } from '@tributary/api-kit'
import { AppError, type Logger } from '@tributary/kernel'

/**
 * Returns the key or token in the request of a server: the user name of Basic authorization, or the Bearer token.
 * Returns undefined if there is none.
 */
export const keyOf = ({ headers: { authorization = '' } }: IncomingMessage): string | undefined => {
  if (authorization.length > 500) return undefined
  const [, scheme = '', text = ''] = /^(Basic|Bearer) +(\S+)$/i.exec(authorization) ?? []
  if (scheme === '') return undefined
  return scheme.toLowerCase() === 'bearer' ? text : Buffer.from(text, 'base64').toString('latin1').split(':')[0]
}

/** Returns the error to send to a caller. Logs an unexpected error with `text`, and hides it from the caller. */
export const failureOfCall = (error: unknown, logger: Logger, text: string): AppError => {
  const known = asApiError(error)
  if (known instanceof AppError) return known
  logger.error({ err: error }, text)
  return new AppError(500, 'INTERNAL', 'Something went wrong on our side')
}

/** Returns the headers of an error response: when to try again. */
export const headersOfFailure = ({ metadata: { retry_after } }: AppError): Record<string, string> =>
  retry_after === undefined ? {} : { 'retry-after': retry_after }

/** Responds to the call of a server with JSON that must not be cached. */
export const answerCall = (
  response: ServerResponse,
  status: number,
  body: string,
  headers: Record<string, string>,
): void => {
  response
    .writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    })
    .end(body)
}
