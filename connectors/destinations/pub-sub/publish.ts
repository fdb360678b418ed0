import { sign } from 'node:crypto'
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
import { keyOf, type PubSubSettings, type ServiceAccountKey } from './settings.ts'

export type Context = DeliverContext<PubSubSettings>

const origin = 'https://pubsub.googleapis.com'

/** Returns a token that the key signs itself, in the form and with the lifetime of AIP-4111. */
const tokenOf = (key: ServiceAccountKey, now: number): string => {
  const seconds = Math.floor(now / 1000)
  const header = { alg: 'RS256', typ: 'JWT', kid: key.private_key_id }
  const { client_email: email } = key
  const claims = { iss: email, sub: email, aud: `${origin}/`, iat: seconds, exp: seconds + 3600 }
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  try {
    return `${text}.${sign('RSA-SHA256', Buffer.from(text), key.private_key).toString('base64url')}`
  } catch (error) {
    throw new ConfigurationError('The private key in the service account key cannot be read', undefined, error)
  }
}

/** Returns the private key, and each of its lines. */
const secretsOf = ({ private_key: whole }: ServiceAccountKey): string[] => [
  whole,
  ...whole.split('\n').filter((line) => line.length > 8 && !line.startsWith('-----')),
]

/** Returns the error of a failed response (google.rpc.Status in JSON): temporary, of the content, or of the set-up. */
const failureOf = (call: Call, now: number): DeliveryError | undefined => {
  const { answer } = call
  const outcome = outcomeOfAnswer(answer, now)
  if (outcome.kind === 'delivered') return undefined
  const exchange = call.exchange()
  const error = answerObject(call)?.['error']
  const { status, message } = isJsonObject(error) ? error : {}
  const words = typeof status === 'string' ? `${status}: ${String(message)}` : `HTTP ${answer.status}`
  // 409 is ABORTED and 499 CANCELLED, which Google's own client repeats (publisher_client_config.json).
  if (outcome.kind === 'retry' || answer.status === 409 || answer.status === 499) {
    const retryAfterMs = outcome.kind === 'retry' ? outcome.retryAfterMs : undefined
    return new RetryableError(words, { exchange, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) })
  }
  // A topic with a schema refuses a message that does not follow it.
  if (status === 'INVALID_ARGUMENT' || answer.status === 413) return new RejectedError(words, exchange)
  return new ConfigurationError(words, exchange)
}

/**
 * Calls a method of the topic. Rejects with a DeliveryError; a RejectedError is about the content of the request.
 */
export const callTopic = async (
  context: Context,
  method: 'publish' | 'testIamPermissions',
  input: unknown,
): Promise<{ call: Call; output: Readonly<Record<string, unknown>> }> => {
  const { settings } = context
  const key = keyOf(settings.service_account_key)
  if (key === undefined) throw new ConfigurationError('The service account key is not the JSON of a key')
  const headers = {
    authorization: `Bearer ${tokenOf(key, context.clock())}`,
    'content-type': 'application/json',
    'user-agent': 'Tributary/1.0',
  }
  const url = `${origin}/v1/${settings.topic.replaceAll('%', '%25')}:${method}`
  const request = { method: 'POST' as const, url, headers, body: JSON.stringify(input), timeoutMs: 60_000 }
  const call = await sendRequest(context, request, { headers: ['authorization'], texts: secretsOf(key) })
  const failure = failureOf(call, context.clock())
  if (failure !== undefined) throw failure
  const output = answerObject(call)
  if (output === undefined)
    throw new RetryableError('The response is not the JSON of Pub/Sub', { exchange: call.exchange() })
  return { call, output }
}
