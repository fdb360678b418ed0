import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Settings, SourceDefinition, WebhookCall } from '@tributary/connector-kit'
import { trackingLimits } from '@tributary/contract'
import { checkSingle } from '../body/validate-body.ts'
import { tooDeep as badDepth, type Refusal } from '../refusal.ts'

/** What the definition of a source says about calls to its webhook. */
export type WebhookRule = NonNullable<SourceDefinition['webhook']>

/** The rules by the slug of the source; undefined for a source that has none. */
export type Webhooks = { get(slug: string): WebhookRule | undefined }

/** Events as JSON texts, and where a browser is led on to; or why the call is refused. */
export type ReceivedWebhook = { events: readonly string[]; redirect?: string } | { refusal: Refusal }

/**
 * How a call to the webhook of a source is handled: exactly what collection appends to the log, and what a preview
 * shows. `undefined` when the rule leaves it to the general one.
 */
export type ReceiveWebhookCall = (
  rule: WebhookRule,
  settings: Settings,
  call: WebhookCall,
) => ReceivedWebhook | undefined

const present = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

/** An event as it is kept: a track event unless it says otherwise, of a new anonymous user when it names nobody. */
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

/** Bodies of a hundred thousand levels can be read but not written as JSON: such a call is refused, not a fault of ours. */
const refusingDepth = (make: () => ReceivedWebhook | undefined): ReceivedWebhook | undefined => {
  try {
    return make()
  } catch (error) {
    if (error instanceof RangeError) return tooDeep
    throw error
  }
}

/**
 * Lets each source's own rule make the events, and validates them as single events are validated. One that cannot be kept
 * refuses the call: whoever sends it hears of it, and sees it among the refused requests.
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

/** A request as the rules of sources see it. */
export const webhookCall = (req: IncomingMessage, query: string, body: Buffer, receivedAt: number): WebhookCall => {
  const params = new URLSearchParams(query)
  params.delete('writeKey')
  const headers = Object.entries(req.headers)
    .filter(([name, value]) => value !== undefined && !hiddenHeaders.has(name))
    .map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value])
  return { method: req.method ?? '', body, headers: Object.fromEntries(headers), query: params, receivedAt }
}
