import {
  answerObject,
  type Call,
  ConfigurationError,
  type DeliverContext,
  type DeliveryError,
  isJsonObject,
  outcomeOfAnswer,
  RejectedError,
  RetryableError,
  sendRequest,
} from '@tributary/connector-kit'
import { type AwsAccess, awsDomain } from './settings.ts'
import { signAws } from './sign.ts'

/** A service of AWS with a JSON protocol. `host` is the first part of its host name and its name in signatures. */
export type AwsService = { host: string; target: string; version: '1.0' | '1.1' }

/** The part of a context that a call needs. */
type AwsContext = Pick<DeliverContext<AwsAccess>, 'settings' | 'request' | 'signal' | 'onExchange' | 'clock'>

/**
 * Codes of temporary errors. Throttling and transient errors are those of @smithy/core 3
 * (retry/service-error-classification/constants). Others are in the models of SQS, Kinesis, Firehose, and EventBridge.
 */
const later = new Set([
  'BandwidthLimitExceeded',
  'EC2ThrottledException',
  'InternalException',
  'InternalFailure',
  'InternalFailureException',
  'InternalServerError',
  'KMSThrottlingException',
  'KmsThrottled',
  'LimitExceededException',
  'PriorRequestNotComplete',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'RequestTimeout',
  'RequestTimeoutException',
  'ServiceUnavailable',
  'ServiceUnavailableException',
  'SlowDown',
  'ThrottledException',
  'Throttling',
  'ThrottlingException',
  'TimeoutError',
  'TooManyRequestsException',
  'TransactionInProgressException',
])

/** Codes that refuse the content of a request (SendMessageBatch). A smaller request can succeed. */
const refusesContent = new Set(['BatchRequestTooLong', 'InvalidMessageContents'])

/** Codes of requests that were signed at another time than that of AWS. */
const otherTime = new Set(['RequestExpired', 'RequestInTheFuture', 'RequestTimeTooSkewed'])

/** Whether an error of a request or of a record is temporary. */
export const isTemporary = (code: string): boolean => later.has(code)

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')

/**
 * Returns the error in a response. The code is in `__type` after a namespace, or in a header before a URL (Smithy
 * specification, "AWS JSON 1.1 protocol", "Operation error serialization").
 */
export const awsErrorOf = (call: Pick<Call, 'answer'>): { code: string; message: string } => {
  const body = answerObject(call) ?? {}
  const type = textOf(body['__type']) || textOf(body['code']) || textOf(call.answer.headers['x-amzn-errortype'])
  const [beforeUrl = ''] = type.split(':')
  const code = beforeUrl.slice(beforeUrl.lastIndexOf('#') + 1)
  return { code, message: textOf(body['message']) || textOf(body['Message']) }
}

/** Returns the error of a failed response: temporary, about the content, or about the set-up. */
const failureOf = (call: Call, now: number): DeliveryError | undefined => {
  const { answer } = call
  const outcome = outcomeOfAnswer(answer, now)
  if (outcome.kind === 'delivered') return undefined
  const exchange = call.exchange()
  const { code, message } = awsErrorOf(call)
  const words = code === '' ? `HTTP ${answer.status}` : `${code}: ${message || `HTTP ${answer.status}`}`
  if (otherTime.has(code) || /^Signature (expired|not yet current)/.test(message))
    return new RetryableError(`This server's clock differs from the clock of AWS. ${words}`, { exchange })
  if (refusesContent.has(code) || answer.status === 413) return new RejectedError(words, exchange)
  if (outcome.kind === 'retry' || isTemporary(code)) {
    const retryAfterMs = outcome.kind === 'retry' ? outcome.retryAfterMs : undefined
    return new RetryableError(words, { exchange, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) })
  }
  return new ConfigurationError(words, exchange)
}

/**
 * Calls an operation of a service with a JSON body. Rejects with a DeliveryError; a RejectedError is about the content
 * of the request.
 */
export const callAws = async (
  context: AwsContext,
  { host, target, version }: AwsService,
  operation: string,
  input: Readonly<Record<string, unknown>>,
): Promise<{ call: Call; output: Readonly<Record<string, unknown>> }> => {
  const { settings } = context
  const url = settings.endpoint ?? `https://${host}.${settings.region}.${awsDomain(settings.region)}/`
  const body = JSON.stringify(input)
  const given = {
    'content-type': `application/x-amz-json-${version}`,
    'user-agent': 'Tributary/1.0',
    'x-amz-target': `${target}.${operation}`,
  }
  const headers = await signAws(settings, host, { url, headers: given, body }, context.clock())
  const request = { method: 'POST' as const, url, headers, body, timeoutMs: 60_000, keepBytes: 1024 * 1024 }
  const hidden = { headers: ['authorization'], texts: [settings.secret_access_key.trim()] }
  const call = await sendRequest(context, request, hidden)
  const failure = failureOf(call, context.clock())
  if (failure !== undefined) throw failure
  const output = answerObject(call)
  if (!isJsonObject(output))
    throw new RetryableError('The response is not the JSON of AWS', { exchange: call.exchange() })
  return { call, output }
}
