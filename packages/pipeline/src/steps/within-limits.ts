import { trackingLimits } from '@tributary/contract'
import type { RawEvent, Request } from '../event-types.ts'
import { ok, type Reject, reject, type Step } from '../outcome.ts'

/**
 * The limits of one event, in bytes and levels, the maximum events of a batch, and the maximum of their shared values.
 */
export type EventLimits = {
  readonly eventBytes: number
  readonly batchEvents: number
  readonly sharedBytes: number
  readonly jsonDepth: number
}

/**
 * The rejection of a batch whose shared values are too large. They are stored with each event: 4 MB could become
 * gigabytes.
 */
const sharesTooMuch = ({ sharedBytes, events }: Request, limits: EventLimits): Reject | undefined => {
  if (sharedBytes === 0) return undefined
  if (sharedBytes > limits.eventBytes)
    return reject(
      'too_large',
      `A batch's context and integrations can have at most ${limits.eventBytes} bytes; these have ${sharedBytes}.`,
    )
  const stored = sharedBytes * Math.min(events, limits.batchEvents)
  if (stored <= limits.sharedBytes) return undefined
  return reject(
    'too_large',
    `A batch's context and integrations are stored with each event and can total at most ${limits.sharedBytes} bytes; these total ${stored}. Send smaller batches.`,
  )
}

/**
 * Accepts events within the limits of tracking, before anything is parsed. A replayed event was within them when it was
 * received; now it also has the shared values of its batch.
 */
export const withinLimits = (limits: EventLimits = trackingLimits): Step<RawEvent, RawEvent> => {
  const tooMany = reject(
    'over_batch_limit',
    `A batch can have at most ${limits.batchEvents} events; this event exceeds the limit.`,
  )
  const tooDeep = reject('too_deep', `An event can be nested at most ${limits.jsonDepth} levels deep.`)
  return function checkLimits(event) {
    if (event.request.meta.storedIds !== undefined) return ok(event)
    if (event.index >= limits.batchEvents) return tooMany
    const shares = sharesTooMuch(event.request, limits)
    if (shares !== undefined) return shares
    if (event.bytes > limits.eventBytes) {
      return reject('too_large', `An event can have at most ${limits.eventBytes} bytes; this one has ${event.bytes}.`)
    }
    return event.depth > limits.jsonDepth ? tooDeep : ok(event)
  }
}
