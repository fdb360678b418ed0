import type {
  ActionDefinition,
  ActionTarget,
  ConnectionTest,
  DeliverContext,
  DeliverResult,
  DestinationDefinition,
  EventOutcome,
  ObjectDefinition,
  OutgoingEvent,
  Settings,
} from '../definition/definition.ts'
import { ConfigurationError } from '../errors.ts'
import type { HttpAnswer } from '../http/request-client.ts'
import { type Call, isWebPage, outcomeOfAnswer, resultOfCall, sendRequest, testOf } from '../http/send-request.ts'
import { trackingCall } from './tracking-call.ts'

/** A server that accepts calls of the tracking API, and its limits. */
export type TrackingReceiver<S extends Settings> = {
  /** Name of the receiver for users. */
  title: string
  /** Returns the URL to which batches are sent. */
  address: (settings: S) => string
  writeKey: (settings: S) => string
  /** Maximum bytes of one request's body. */
  requestBytes: number
  /** Maximum bytes of one event; unlimited by default. */
  eventBytes?: number
  /** The message of a test in which every response was as expected. */
  tested: string
  /** Tests the key in addition to the test of the batch URL; undefined if there is nothing to report. */
  testKey?: (context: DeliverContext<S>) => Promise<ConnectionTest | undefined>
}

const target = (
  name: string,
  label: string,
  type: ActionTarget['type'],
  kind: ActionTarget['kind'],
  help: string,
): ActionTarget => ({ name, label, help, type, required: false, recommended: false, kind })

/** Creates the action of a forwarder, which sends the event whole, or as an object of the mapped fields. */
export const forwardAction = (receiver: string): ActionDefinition => ({
  name: 'forward',
  title: 'Forward event',
  description: `Forwards the event to ${receiver} unchanged, or with the fields you map.`,
  targets: [
    target('event', 'Event name', 'string', 'event', 'Name of a track call. Unchanged without a mapping.'),
    target('name', 'Page or screen name', 'string', 'event', 'Name of a page or screen call.'),
    target('userId', 'User ID', 'string', 'identity', 'User and anonymous IDs are unchanged if neither is mapped.'),
    target('anonymousId', 'Anonymous ID', 'string', 'identity', 'ID of a device or browser.'),
    target('groupId', 'Group ID', 'string', 'identity', 'For group calls. Unchanged without a mapping.'),
    target('previousId', 'Previous ID', 'string', 'identity', 'For alias calls. Unchanged without a mapping.'),
    target('properties', 'Properties', 'object', 'property', 'The object of all properties of a track or page call.'),
    target('traits', 'Traits', 'object', 'trait', 'The object of all traits of an identify or group call.'),
    target('context', 'Context', 'object', 'context', 'Device, page, campaign, and library.'),
    target('integrations', 'Integrations', 'object', 'event', `Which destinations of ${receiver} the event is for.`),
    target('timestamp', 'Time', 'datetime', 'event', 'When it happened. Unchanged without a mapping.'),
  ],
  customTargets: true,
  wholeEvent: true,
  eventTypes: [],
})

/** Creates the object that describes the events at the receiver. */
export const forwardedEvents = (receiver: string): ObjectDefinition => ({
  name: 'events',
  title: 'Events',
  description: `Each event as a call to ${receiver}’s tracking API, with the same message ID.`,
  syncModes: ['INSERT_ONLY'],
  identifiers: [{ event: 'messageId' }],
  actions: ['forward'],
})

const delivered: EventOutcome = { kind: 'delivered' }

/** Bytes of a body besides its events and the commas between them. */
const envelopeBytes = '{"batch":[]}'.length

const wrongAddress = new Set([301, 302, 303, 307, 308, 404, 405, 410])

/** Returns why the batch URL does not accept events, for users; undefined if it does. */
const setUpProblem = (title: string, answer: HttpAnswer): string | undefined => {
  const status = `HTTP ${answer.status}`
  if (answer.status === 401 || answer.status === 403) return `${title} refuses the write key (${status})`
  if (wrongAddress.has(answer.status)) return `This URL does not accept events, or its source is disabled (${status})`
  if (answer.status < 300 && isWebPage(answer)) return 'The endpoint returned a web page, so it does not receive events'
  return undefined
}

const kilobytes = (bytes: number): string => (bytes / 1024).toFixed(1)

/**
 * Creates functions that send events as batches of the tracking API, with Basic authorization and the write key as user
 * name.
 * - 2xx: delivered. 408, 429, 5xx, no response: retried, after `Retry-After` if given.
 * - 401, 403, 404, 405, 410, a redirect or a web page: the set-up is wrong, events are held.
 * - Anything else: rejected, if it was one event. A rejected batch of several events is sent again in halves. So is a
 * batch that does not fit into one request.
 */
export const createTrackingForwarder = <S extends Settings>(
  receiver: TrackingReceiver<S>,
): Pick<DestinationDefinition<S>, 'deliver' | 'testConnection'> => {
  const { title, requestBytes, eventBytes = Number.POSITIVE_INFINITY } = receiver

  const post = (events: readonly string[], context: DeliverContext<S>): Promise<Call> => {
    const key = receiver.writeKey(context.settings)
    const credentials = Buffer.from(`${key}:`).toString('base64')
    return sendRequest(
      context,
      {
        method: 'POST',
        url: receiver.address(context.settings),
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Tributary/1.0',
          authorization: `Basic ${credentials}`,
        },
        body: `{"batch":[${events.join(',')}]}`,
      },
      { headers: ['authorization'], texts: [key, credentials] },
    )
  }

  /** The calls of a batch as texts; undefined in place of a call that is too large for the receiver. */
  const callsOf = (batch: readonly OutgoingEvent[]): { texts: (string | undefined)[]; outcomes: EventOutcome[] } => {
    const outcomes: EventOutcome[] = []
    const texts = batch.map((event) => {
      const text = JSON.stringify(trackingCall(event))
      const bytes = Buffer.byteLength(text)
      const fits = bytes <= eventBytes
      const reason = `The event has ${kilobytes(bytes)} kB; ${title} allows ${kilobytes(eventBytes)} kB`
      outcomes.push(fits ? delivered : { kind: 'rejected', reason })
      return fits ? text : undefined
    })
    return { texts, outcomes }
  }

  const deliver = async (batch: readonly OutgoingEvent[], context: DeliverContext<S>): Promise<DeliverResult> => {
    const { texts, outcomes } = callsOf(batch)
    const sendable = texts.filter((text) => text !== undefined)
    const nothing = { httpStatus: 0, latencyMs: 0, request: '', response: '' }
    if (sendable.length === 0) return { outcomes, ...nothing }
    const bytes = sendable.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, envelopeBytes)
    if (bytes > requestBytes) {
      const reason = `The request has ${kilobytes(bytes)} kB; ${title} allows ${kilobytes(requestBytes)} kB`
      return { outcomes: { kind: 'split', reason }, ...nothing }
    }
    const call = await post(sendable, context)
    const problem = setUpProblem(title, call.answer)
    if (problem !== undefined) throw new ConfigurationError(problem, call.exchange())
    const outcome = outcomeOfAnswer(call.answer, context.clock())
    if (outcome.kind === 'rejected' && sendable.length > 1)
      return { outcomes: { kind: 'split', reason: outcome.reason }, ...call.exchange() }
    return resultOfCall(
      call,
      texts.map((text, at) => (text === undefined ? (outcomes[at] ?? delivered) : outcome)),
    )
  }

  /** Sends an empty batch: the receiver checks the key before it rejects the batch as empty. */
  const testConnection = (context: DeliverContext<S>): Promise<ConnectionTest> =>
    testOf(async () => {
      const { answer } = await post([], context)
      const problem = setUpProblem(title, answer)
      if (problem !== undefined) return { ok: false, message: problem }
      if (answer.status === 429 || answer.status >= 500)
        return { ok: false, message: `${title} cannot take events now (HTTP ${answer.status})` }
      return (await receiver.testKey?.(context)) ?? { ok: true, message: receiver.tested }
    })

  return { deliver, testConnection }
}
