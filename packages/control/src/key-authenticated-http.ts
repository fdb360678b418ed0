import type { IncomingMessage, ServerResponse } from 'node:http'
import { asApiError } from '@tributary/api-kit'
import { AppError, type Logger } from '@tributary/kernel'

/**
 * The key or token of a server, from the user name of Basic authorization or from a Bearer token; undefined without
 * one.
 */
export const keyOf = ({ headers: { authorization = '' } }: IncomingMessage): string | undefined => {
  if (authorization.length > 500) return undefined
  const [, scheme = '', text = ''] = /^(Basic|Bearer) +(\S+)$/i.exec(authorization) ?? []
  if (scheme === '') return undefined
  return scheme.toLowerCase() === 'bearer' ? text : Buffer.from(text, 'base64').toString('latin1').split(':')[0]
}

/** The error that a caller sees. An unexpected error is hidden, and logged with `text`. */
export const failureOfCall = (error: unknown, logger: Logger, text: string): AppError => {
  const known = asApiError(error)
  if (known instanceof AppError) return known
  logger.error({ err: error }, text)
  return new AppError(500, 'INTERNAL', 'Something went wrong on our side')
}

/** Headers that go with a failure: when to come back. */
export const headersOfFailure = ({ metadata: { retry_after } }: AppError): Record<string, string> =>
  retry_after === undefined ? {} : { 'retry-after': retry_after }

/** Responds to a call of a server with JSON that must not be cached. */
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
