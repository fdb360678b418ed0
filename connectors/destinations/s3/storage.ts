import { createHash } from 'node:crypto'
import { Sha256 } from '@aws-crypto/sha256-js'
import { HttpRequest } from '@smithy/protocol-http'
import { SignatureV4 } from '@smithy/signature-v4'
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
import { bucketAddress, objectPath } from './address.ts'
import type { S3Settings } from './settings.ts'

/** What an answer's body says went wrong (S3 API, "Error responses"). */
const errorOf = (body: string): { code: string; message: string } => {
  const part = (name: string): string => new RegExp(`<${name}>([^<]*)</${name}>`).exec(body)?.[1]?.trim() ?? ''
  return { code: part('Code'), message: part('Message') }
}

/** A request of the S3 API, signed by AWS Signature Version 4 with the payload's hash. */
const signed = async (
  context: DeliverContext<S3Settings>,
  method: 'PUT' | 'DELETE',
  key: string,
  body: Uint8Array,
  contentType: string,
) => {
  const { settings, clock } = context
  const address = bucketAddress(settings)
  const { protocol, hostname, port, host } = new URL(address.origin)
  const path = objectPath(address, key)
  const request = new HttpRequest({
    method,
    protocol,
    hostname,
    ...(port === '' ? {} : { port: Number(port) }),
    path,
    headers: {
      host,
      'user-agent': 'Tributary/1.0',
      'x-amz-content-sha256': createHash('sha256').update(body).digest('hex'),
      ...(method === 'PUT'
        ? { 'content-type': contentType, 'content-md5': createHash('md5').update(body).digest('base64') }
        : {}),
    },
  })
  const signer = new SignatureV4({
    service: 's3',
    region: settings.region,
    credentials: {
      accessKeyId: settings.access_key_id.trim(),
      secretAccessKey: settings.secret_access_key.trim(),
    },
    sha256: Sha256,
    // The path is escaped once, and S3 alone takes it as it is.
    uriEscapePath: false,
  })
  const { headers } = await signer.sign(request, { signingDate: new Date(clock()) })
  // The client names the host itself, the same one.
  const { host: _host, ...rest } = headers
  return { method, url: `${address.origin}${path}`, headers: rest, ...(method === 'PUT' ? { body } : {}) }
}

const later = new Set(['SlowDown', 'InternalError', 'ServiceUnavailable', 'RequestTimeout', 'OperationAborted', 'Busy'])

/** What an answer that is no success says: a matter of time, of the objects, or of the set-up. */
const failureOf = (call: Call, context: DeliverContext<S3Settings>): DeliveryError | undefined => {
  const { answer } = call
  const outcome = outcomeOfAnswer(answer, context.clock())
  if (outcome.kind === 'delivered') return undefined
  const exchange = call.exchange()
  const { code, message } = errorOf(answer.body)
  const text = code === '' ? `HTTP ${answer.status}` : `${code}: ${message || `HTTP ${answer.status}`}`
  if (code === 'RequestTimeTooSkewed')
    return new RetryableError(`This server's clock differs from the storage's clock. ${text}`, { exchange })
  if (outcome.kind === 'retry' || later.has(code)) {
    const retryAfterMs = outcome.kind === 'retry' ? outcome.retryAfterMs : undefined
    return new RetryableError(text, { exchange, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) })
  }
  if (code === 'EntityTooLarge') return new RejectedError(text, exchange)
  const region = answer.headers['x-amz-bucket-region']
  const hint =
    region === undefined || region === context.settings.region ? '' : ` The bucket is in the region ${region}.`
  return new ConfigurationError(`${text}${hint}`, exchange)
}

/** Writes an object over whatever is there, or takes it away. Rejects with a DeliveryError. */
export const changeObject = async (
  context: DeliverContext<S3Settings>,
  method: 'PUT' | 'DELETE',
  key: string,
  body: Uint8Array = new Uint8Array(),
  contentType = '',
): Promise<Call> => {
  const request = await signed(context, method, key, body, contentType)
  const hidden = { headers: ['authorization'], texts: [context.settings.secret_access_key] }
  const call = await sendRequest(context, { ...request, timeoutMs: 60_000 }, hidden)
  const failure = failureOf(call, context)
  if (failure !== undefined) throw failure
  return call
}
