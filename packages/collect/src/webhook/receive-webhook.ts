import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Settings, SourceDefinition, WebhookCall } from '@tributary/connector-kit'
import { trackingLimits } from '@tributary/contract'
import { formParams } from '@tributary/kernel'
import { checkSingle } from '../body/body.ts'
import { tooDeep as badDepth, type Refusal } from '../refusal.ts'

/** The rule of a source's definition for calls to its webhook. */
export type WebhookRule = NonNullable<SourceDefinition['webhook']>

/** The rules by the slug of the kind of source; undefined for a kind without a rule. */
export type Webhooks = { get(slug: string): WebhookRule | undefined }

/** The events as JSON texts, and the URL to which a browser is sent; or why the call is rejected. */
export type ReceivedWebhook = { events: readonly string[]; redirect?: string } | { refusal: Refusal }

/**
 * Handles a call to the webhook of a source. Collection appends the result to the log, and a preview shows it. Returns
 * undefined if the rule leaves the call to the general conversion.
 */
export type ReceiveWebhookCall = (
  rule: WebhookRule,
  settings: Settings,
  call: WebhookCall,
) => ReceivedWebhook | undefined

const present = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

/**
 * Returns the stored form of an event: a track event unless it has a type, and with a new anonymous ID if it has no
 * user.
 */
const complete = (event: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const named = present(event['userId']) || present(event['anonymousId'])
  return {
    ...event,
    ...(present(event['type']) ? {} : { type: 'track' }),
    ...(named ? {} : { anonymousId: randomUUID() }),
  }
}

const at = (refusal: Refusal, index: number, count: number): Refusal =>
  count === 1 ? refusal : { ...refusal, message: `Event ${index + 1} of ${count}: ${refusal.message}` }

const tooDeep: ReceivedWebhook = { refusal: badDepth(trackingLimits.jsonDepth) }

/**
 * Rejects a call whose body is too deep to be serialized, such as one with a hundred thousand levels, instead of
 * causing a fault.
 */
const refusingDepth = (make: () => ReceivedWebhook | undefined): ReceivedWebhook | undefined => {
  try {
    return make()
  } catch (error) {
    if (error instanceof RangeError) return tooDeep
    throw error
  }
}

/**
 * Creates a function that converts calls to events by the rule of their source, and validates the events like single
 * events. If an event cannot be stored, the call is rejected: its sender gets the reason, and the rejection is counted.
 */
export const createWebhookReceiver =
  (eventBytes: number = trackingLimits.eventBytes): ReceiveWebhookCall =>
  (rule, settings, call) =>
    refusingDepth(() => {
      const receipt = rule.receive(call, settings)
      if (receipt === undefined || 'refusal' in receipt) return receipt
      const texts: string[] = []
      for (const [index, given] of receipt.events.entries()) {
        const event = complete(given)
        const text = JSON.stringify(event)
        const wrong = checkSingle(event, Buffer.byteLength(text), 'track', eventBytes)
        if (wrong !== undefined) return { refusal: at(wrong, index, receipt.events.length) }
        texts.push(text)
      }
      const { redirect } = receipt
      return { events: texts, ...(redirect === undefined ? {} : { redirect }) }
    })

/** Headers with a key or session, which are not passed to rules. */
const hiddenHeaders = new Set(['authorization', 'cookie', 'x-write-key'])

/** Returns the request in the form that the rules of sources receive. */
export const webhookCall = (
  req: IncomingMessage,
  query: string,
  [body, sent]: readonly [Buffer, Buffer],
  receivedAt: number,
): WebhookCall => {
  const read = formParams(query)
  const params = typeof read === 'string' ? new URLSearchParams(query) : read
  params.delete('writeKey')
  const headers = Object.entries(req.headers)
    .filter(([name, value]) => value !== undefined && !hiddenHeaders.has(name))
    .map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value])
  return {
    method: req.method ?? '',
    body,
    ...(sent === body ? {} : { sent }),
    headers: Object.fromEntries(headers),
    query: params,
    ...(typeof read === 'string' ? { brokenQuery: true } : {}),
    receivedAt,
  }
}
