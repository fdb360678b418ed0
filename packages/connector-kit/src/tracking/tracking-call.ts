import type { PipelineEvent } from '@tributary/contract'
import { jsonObject, parseExactJson } from '@tributary/kernel'
import type { OutgoingEvent } from '../definition/definition.ts'

type Call = Record<string, unknown>

/** What each type cannot do without, beside its ids; it is the event's own where the mapping leaves it out. */
const needed: Readonly<Record<OutgoingEvent['type'], readonly string[]>> = {
  track: ['event'],
  page: [],
  screen: [],
  identify: [],
  group: ['groupId'],
  alias: ['previousId'],
}

/** The whole call; what is absent stays absent. */
const wholeCall = (event: PipelineEvent): Call => {
  const { type, messageId, event: name, timestamp, extra } = event
  const call: Call = { type, messageId }
  if (type === 'track') call['event'] = name
  else if (name !== '') call['name'] = name
  for (const key of ['userId', 'anonymousId', 'groupId', 'previousId', 'properties', 'traits'] as const)
    if (event[key] !== undefined) call[key] = event[key]
  call['context'] = event.context
  if (event.integrations !== undefined) call['integrations'] = event.integrations
  return jsonObject([...Object.entries(extra ?? {}), ...Object.entries(call), ['timestamp', timestamp]])
}

/**
 * An event as the call of the tracking API that it was, for servers that take such calls:
 * - type, message id and ids are the event's, so that the receiver counts it once and knows its user;
 * - the name of a page or screen stands in `name`; keys that are not of the API stand at the top again;
 * - `timestamp` is when it happened by our clock. The device's own times are left out: a receiver would correct the
 *   right time by them once more;
 * - what only we know of it (place, time of receipt) is left out.
 *
 * A mapping's payload takes the place of all but type and message id. What the call is refused without, and the mapping
 * does not give, is the event's own: user id or anonymous id, name of a track call, group id, previous id, timestamp.
 *
 * Source: Segment, "Spec: Common fields"; RudderStack, "HTTP API" follows it.
 */
export const trackingCall = ({ json, payload }: Pick<OutgoingEvent, 'json' | 'payload'>): Call => {
  // Written by the pipeline: every key has its type. Numbers go on as they came.
  const event = parseExactJson(json) as PipelineEvent
  const whole = wholeCall(event)
  if (payload === undefined) return whole
  const { type, messageId } = event
  const ids = payload['userId'] === undefined && payload['anonymousId'] === undefined ? ['userId', 'anonymousId'] : []
  const own = [...ids, ...needed[type], 'timestamp'].filter((key) => whole[key] !== undefined)
  return { ...Object.fromEntries(own.map((key) => [key, whole[key]])), ...payload, type, messageId }
}
