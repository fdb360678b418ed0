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
import { elementText } from '../../wire/access/elements.ts'
import { sasToken } from './sas-token.ts'
import type { EventHubsSettings } from './settings.ts'

export type Context = DeliverContext<EventHubsSettings>

/** The end of a detail, which is new in each response: "TrackingId:…, SystemTracker:…, Timestamp:…". */
const tracking = /[\s,]{0,9}TrackingId:[^]*$/

/** Returns the detail in an error's body, `<Error><Code>401</Code><Detail>…</Detail></Error>`; '' if there is none. */
const detailOf = (body: string): string => (elementText(body, 'Detail') ?? '').replace(tracking, '').trim()

/** Returns the message of a failed response. */
export const failureWords = ({ answer: { status, body } }: Pick<Call, 'answer'>): string => {
  const detail = detailOf(body)
  return detail === '' ? `HTTP ${status}` : `HTTP ${status}: ${detail}`
}

/**
 * Returns the error of a failed response: temporary, about the content, or about the set-up. "Send batch events" has few
 * codes; "Send Message Batch" of Service Bus, the same interface, has more. There, 403 is also a message that is too
 * large; Event Hubs answers 413 with the same words.
 */
export const failureOf = (call: Call, now: number): DeliveryError => {
  const { status, body } = call.answer
  const exchange = call.exchange()
  const words = failureWords(call)
  const outcome = outcomeOfAnswer(call.answer, now)
  if (/\bExpiredToken\b/.test(body))
    return new RetryableError(`This server's clock differs from the clock of Azure. ${words}`, { exchange })
  if (status === 400 || status === 413 || (status === 403 && /message size|too large/i.test(detailOf(body))))
    return new RejectedError(words, exchange)
  if (outcome.kind === 'rejected') return new ConfigurationError(words, exchange)
  const retryAfterMs = outcome.kind === 'retry' ? outcome.retryAfterMs : undefined
  const reason = outcome.kind === 'retry' ? words : 'The response is not that of Event Hubs'
  return new RetryableError(reason, { exchange, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) })
}

/** Calls the event hub ("Common parameters and headers"). Rejects with a DeliveryError if there is no response. */
export const callHub = async (
  context: Context,
  request: { method: 'GET' | 'POST'; path: string; headers?: Readonly<Record<string, string>>; body?: string },
): Promise<Call> => {
  const { namespace, event_hub: hub, policy_name: name, policy_key: key } = context.settings
  const resource = `https://${namespace.toLowerCase()}/${hub}`
  const headers = {
    ...request.headers,
    authorization: sasToken(resource, { name, key: key.trim() }, context.clock()),
    'user-agent': 'Tributary/1.0',
  }
  const url = `${resource}${request.path}?timeout=60&api-version=2014-01`
  const { method, body } = request
  const sent = { method, url, headers, timeoutMs: 65_000, ...(body === undefined ? {} : { body }) }
  return await sendRequest(context, sent, { headers: ['authorization'], texts: [key.trim()] })
}
