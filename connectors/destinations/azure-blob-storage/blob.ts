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
  withoutEnd,
} from '@tributary/connector-kit'
import { elementText } from '../../wire/access/elements.ts'
import { type BlobSettings, sasQuery } from './settings.ts'
import { sharedKey } from './shared-key.ts'

/** The version of the interface ("Versioning for Azure Storage"). Writing blobs needs none that is newer. */
const version = '2019-07-07'

/** Codes of temporary errors without a status that says so ("Common REST API error codes", "Blob Storage error codes"). */
const later = new Set([
  'AccountBeingCreated',
  'ContainerBeingDeleted',
  'Md5Mismatch',
  'OperationTimedOut',
  'ServerBusy',
])

/** Returns the error of a failed response: temporary, about the blob, or about the set-up. */
const failureOf = (call: Call, now: number): DeliveryError => {
  const { status, headers, body } = call.answer
  const exchange = call.exchange()
  const part = (name: string): string => elementText(body, name)?.trim() ?? ''
  const code = headers['x-ms-error-code'] ?? part('Code')
  // A message has the ID of the request and the time on further lines.
  const [message = ''] = part('Message').split('\n')
  const words = code === '' ? `HTTP ${status}` : `${code}: ${message || `HTTP ${status}`}`
  if (part('AuthenticationErrorDetail').startsWith('Request date header'))
    return new RetryableError(`This server's clock differs from the clock of Azure. ${words}`, { exchange })
  const outcome = outcomeOfAnswer(call.answer, now)
  if (outcome.kind === 'delivered') return new RetryableError('The response is not that of Blob Storage', { exchange })
  if (outcome.kind === 'retry' || later.has(code)) {
    const retryAfterMs = outcome.kind === 'retry' ? outcome.retryAfterMs : undefined
    return new RetryableError(words, { exchange, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) })
  }
  return status === 413 ? new RejectedError(words, exchange) : new ConfigurationError(words, exchange)
}

/** Returns a SAS token, and its signature as it is sent and as it is read. */
const sasSecrets = (query: string): string[] => {
  const sent = query.split('&').find((pair) => pair.startsWith('sig='))
  return [query, sent?.slice('sig='.length) ?? '', new URLSearchParams(query).get('sig') ?? '']
}

const urlOf = ({ account, container, endpoint }: BlobSettings, key: string): string => {
  const base = withoutEnd(endpoint ?? `https://${account}.blob.core.windows.net`, '/')
  return `${base}/${container}/${key.split('/').map(encodeURIComponent).join('/')}`
}

/**
 * Writes or deletes a blob ("Put Blob", "Delete Blob"). A written blob replaces the one with the same name, as a whole.
 * Rejects with a DeliveryError.
 */
export const changeBlob = async (
  context: DeliverContext<BlobSettings>,
  key: string,
  content?: { body: Uint8Array; type: string },
): Promise<Call> => {
  const { settings, clock } = context
  const { account, account_key: accountKey = '', sas_token: token } = settings
  const method = content === undefined ? ('DELETE' as const) : ('PUT' as const)
  const url = urlOf(settings, key)
  const about: Record<string, string> =
    content === undefined
      ? {}
      : {
          'content-type': content.type,
          'content-md5': createHash('md5').update(content.body).digest('base64'),
          'x-ms-blob-type': 'BlockBlob',
        }
  const headers = {
    ...about,
    'user-agent': 'Tributary/1.0',
    'x-ms-date': new Date(clock()).toUTCString(),
    'x-ms-version': version,
  }
  const isSas = token !== undefined
  const bytes = content?.body.length ?? 0
  const signed = isSas
    ? { url: `${url}?${sasQuery(token)}`, headers }
    : {
        url,
        headers: {
          ...headers,
          authorization: sharedKey({ account, key: accountKey.trim() }, { method, url, headers, bytes }),
        },
      }
  const request = { method, ...signed, timeoutMs: 60_000, ...(content === undefined ? {} : { body: content.body }) }
  const texts = isSas ? sasSecrets(sasQuery(token)) : [accountKey.trim()]
  const call = await sendRequest(context, request, { headers: ['authorization'], texts })
  // The statuses of success on the pages of both operations.
  if (call.answer.status !== (content === undefined ? 202 : 201)) throw failureOf(call, clock())
  return call
}
