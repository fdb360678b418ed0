import { AuthenticationError, ProtocolError, protocolErrorsCodesById, ResponseError } from '@platformatic/kafka'
import {
  ConfigurationError,
  DeliveryError,
  type EventOutcome,
  networkError,
  RetryableError,
} from '@tributary/connector-kit'

/** Codes of errors of the protocol (https://kafka.apache.org/protocol#protocol_error_codes). */
const setUp = new Set([
  'UNKNOWN_TOPIC_OR_PARTITION',
  'INVALID_TOPIC_EXCEPTION',
  'TOPIC_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
  'UNSUPPORTED_SASL_MECHANISM',
  'ILLEGAL_SASL_STATE',
  'UNSUPPORTED_VERSION',
  'POLICY_VIOLATION',
  'SASL_AUTHENTICATION_FAILED',
  'DELEGATION_TOKEN_EXPIRED',
])

/** Codes of errors that the content of records causes. */
const content = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_TIMESTAMP', 'INVALID_RECORD'])

const hints: Readonly<Record<string, string>> = {
  UNKNOWN_TOPIC_OR_PARTITION: 'The topic does not exist, or the user cannot describe it',
  TOPIC_AUTHORIZATION_FAILED: 'The user is not allowed to write to the topic',
  UNSUPPORTED_SASL_MECHANISM: 'The brokers do not offer this authentication',
  SASL_AUTHENTICATION_FAILED: 'Wrong user or password',
  MESSAGE_TOO_LARGE: 'The record is larger than the topic allows',
}

/** Returns the name of an error of the protocol. */
const nameOf = (code: number): string =>
  (protocolErrorsCodesById as Readonly<Record<number, string>>)[code] ?? `Error ${code}`

const wordsOf = (name: string): string => {
  const hint = hints[name]
  return hint === undefined ? name : `${hint} (${name})`
}

/** Whether single records of a refused batch can be the cause. */
export const isOfContent = (code: number): boolean => content.has(nameOf(code))

/** Returns the outcome of records for a code of the response. */
export const outcomeOfCode = (code: number): EventOutcome => {
  if (code === 0) return { kind: 'delivered' }
  const name = nameOf(code)
  const reason = wordsOf(name)
  if (content.has(name)) return { kind: 'rejected', reason }
  return { kind: 'retry', reason, ...(setUp.has(name) ? { misconfigured: true } : {}) }
}

/** Returns the error for all events for a code of a response. */
export const failureOfCode = (code: number): DeliveryError => {
  const name = nameOf(code)
  return setUp.has(name) ? new ConfigurationError(wordsOf(name)) : new RetryableError(wordsOf(name))
}

/** Returns the name of the first error of the protocol inside an error of the library. */
const protocolName = (error: unknown): string | undefined => {
  if (error instanceof ProtocolError) return String(error['apiId'])
  if (error instanceof ResponseError) return error.errors.map(protocolName).find((name) => name !== undefined)
  return error instanceof AuthenticationError ? protocolName(error.cause) : undefined
}

/** Converts an error of the library, a broker, or the network to a DeliveryError. */
export const deliveryError = (error: unknown): DeliveryError => {
  if (error instanceof DeliveryError) return error
  const name = protocolName(error)
  if (name !== undefined)
    return setUp.has(name)
      ? new ConfigurationError(wordsOf(name), undefined, error)
      : new RetryableError(wordsOf(name), { cause: error })
  if (error instanceof AuthenticationError) {
    if (error.cause instanceof Error) return deliveryError(error.cause)
    return new ConfigurationError(error.message, undefined, error)
  }
  const hasCode = error instanceof Error && 'code' in error
  const failure = hasCode ? networkError(error) : new RetryableError('The connection failed', { cause: error })
  return failure instanceof DeliveryError ? failure : new RetryableError(failure.message, { cause: error })
}
