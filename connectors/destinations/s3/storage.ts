import { createHash } from 'node:crypto'
import {
  type Call,
  ConfigurationError,
  type DeliverContext,
  type DeliveryError,
  outcomeOfAnswer,
  RejectedError,
  RetryableError,
  sendRequest,
} from '@tributary/connector-kit'
import { failureWords } from '../../wire/s3/failures.ts'
import { signRequest } from '../../wire/s3/sign.ts'
import type { S3Settings } from './settings.ts'

/** Returns the error of a failed response: temporary, about the objects, or about the set-up. */
const failureOf = (call: Call, context: DeliverContext<S3Settings>): DeliveryError | undefined => {
  const { answer } = call
  const outcome = outcomeOfAnswer(answer, context.clock())
  if (outcome.kind === 'delivered') return undefined
  const exchange = call.exchange()
  const { status, body, headers } = answer
  const { region } = context.settings
  const { code, text, isLater } = failureWords({ status, body, bucketRegion: headers['x-amz-bucket-region'] }, region)
  if (outcome.kind === 'retry' || isLater) {
    const retryAfterMs = outcome.kind === 'retry' ? outcome.retryAfterMs : undefined
    return new RetryableError(text, { exchange, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) })
  }
  return code === 'EntityTooLarge' ? new RejectedError(text, exchange) : new ConfigurationError(text, exchange)
}

/** Overwrites or deletes an object. Rejects with a DeliveryError. */
export const changeObject = async (
  context: DeliverContext<S3Settings>,
  method: 'PUT' | 'DELETE',
  key: string,
  body: Uint8Array = new Uint8Array(),
  contentType = '',
): Promise<Call> => {
  const about = {
    'content-type': contentType,
    'content-md5': createHash('md5').update(body).digest('base64'),
  }
  const { url, headers } = await signRequest(
    context.settings,
    { method, key, body, ...(method === 'PUT' ? { headers: about } : {}) },
    context.clock(),
  )
  const request = { method, url, headers, ...(method === 'PUT' ? { body } : {}) }
  const hidden = { headers: ['authorization'], texts: [context.settings.secret_access_key] }
  const call = await sendRequest(context, { ...request, timeoutMs: 60_000 }, hidden)
  const failure = failureOf(call, context)
  if (failure !== undefined) throw failure
  return call
}
