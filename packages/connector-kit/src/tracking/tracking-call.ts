import type { PipelineEvent } from '@tributary/contract'
import { jsonObject, parseExactJson } from '@tributary/kernel'
import type { OutgoingEvent } from '../definition/definition.ts'

type Call = Record<string, unknown>

/** Fields that each type requires in addition to its IDs; the event's own fields are used if the mapping omits them. */
const needed: Readonly<Record<OutgoingEvent['type'], readonly string[]>> = {
  track: ['event'],
  page: [],
  screen: [],
  identify: [],
  group: ['groupId'],
  alias: ['previousId'],
}

/** Returns the whole event as a call; absent members stay absent. */
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
 * Converts an event back to its original call of the tracking API, for servers that accept such calls:
 * - type, message ID and IDs are those of the event, so that the receiver counts the event once and finds its user;
 * - the name of a page or screen is in `name`; unknown keys are at the top level again;
 * - `timestamp` is the time of the event by our clock. The device's own times are left out, because a receiver would
 * correct the time again;
 * - values that this server added (place, time of receipt) are left out.
 *
 * A mapping's payload replaces all but type and message ID. Some fields come from the event if the mapping omits them,
 * because the call is rejected without them. They are user ID or anonymous ID, name of a track call, group ID, previous
 * ID, timestamp.
 *
 * Source: Segment, "Spec: Common fields"; RudderStack, "HTTP API" follows it.
 */
export const trackingCall = ({ json, payload }: Pick<OutgoingEvent, 'json' | 'payload'>): Call => {
  // The type cast is safe, because the pipeline wrote the text. Numbers are passed on unchanged.
  const event = parseExactJson(json) as PipelineEvent
  const whole = wholeCall(event)
  if (payload === undefined) return whole
  const { type, messageId } = event
  const ids = payload['userId'] === undefined && payload['anonymousId'] === undefined ? ['userId', 'anonymousId'] : []
  const own = [...ids, ...needed[type], 'timestamp'].filter((key) => whole[key] !== undefined)
  return { ...Object.fromEntries(own.map((key) => [key, whole[key]])), ...payload, type, messageId }
}
