import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Settings, SourceDefinition, WebhookCall } from '@tributary/connector-kit'
import { trackingLimits } from '@tributary/contract'
import { formParams } from '@tributary/kernel'
import { checkSingle } from '../body/validate-body.ts'
import { tooDeep as badDepth, type Refusal } from '../refusal.ts'

/** The rule of a source's definition for calls to its webhook. */
export type WebhookRule = NonNullable<SourceDefinition['webhook']>

/** The rules by the slug of the source; undefined for a source without one. */
export type Webhooks = { get(slug: string): WebhookRule | undefined }

/** Events as JSON texts, and the address that a browser is led on to; or why the call is refused. */
export type ReceivedWebhook = { events: readonly string[]; redirect?: string } | { refusal: Refusal }

/**
 * Handles a call to the webhook of a source: the result is exactly what collection appends to the log, and what a
 * preview shows. Returns undefined when the rule leaves it to the general one.
 */
export type ReceiveWebhookCall = (
  rule: WebhookRule,
  settings: Settings,
  call: WebhookCall,
) => ReceivedWebhook | undefined

const present = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

/**
 * The stored form of an event: a track event unless it has a type, of a new anonymous user when it has no ID of a user.
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
 * Bodies of a hundred thousand levels can be read but not written as JSON: such a call is refused; it is not a fault of
 * ours.
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
 * Creates events by each source's own rule, and validates them like single events. An event that cannot be kept refuses
 * the call: its sender gets the reason, and the call is among the refused requests.
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

/** Headers that carry a key or a session: no event has them. */
const hiddenHeaders = new Set(['authorization', 'cookie', 'x-write-key'])

/** A request in the form for the rules of sources. */
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
