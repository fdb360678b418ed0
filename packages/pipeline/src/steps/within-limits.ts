import { trackingLimits } from '@tributary/contract'
import type { RawEvent } from '../event-types.ts'
import { ok, reject, type Step } from '../outcome.ts'

/** The limits of one event, in bytes and levels, and how many events of a batch are taken. */
export type EventLimits = { readonly eventBytes: number; readonly batchEvents: number; readonly jsonDepth: number }

/**
 * Lets on what is within the limits of tracking, judged before anything is parsed. An event that is sent again was
 * within them when it was received; now it also has what its batch said.
 */
export const withinLimits = (limits: EventLimits = trackingLimits): Step<RawEvent, RawEvent> => {
  const tooMany = reject(
    'over_batch_limit',
    `A batch may carry ${limits.batchEvents} events; this one came behind them.`,
  )
  const tooDeep = reject('too_deep', `An event may nest ${limits.jsonDepth} levels deep.`)
  return function checkLimits(event) {
    if (event.request.meta.p !== undefined) return ok(event)
    if (event.index >= limits.batchEvents) return tooMany
    // Each event of a batch is stored with them: without a limit a request of 4 MB would become gigabytes.
    if (event.request.sharedBytes > limits.eventBytes) {
      return reject(
        'too_large',
        `The context and integrations of a batch may have ${limits.eventBytes} bytes; these have ${event.request.sharedBytes}.`,
      )
    }
    if (event.bytes > limits.eventBytes) {
      return reject('too_large', `An event may have ${limits.eventBytes} bytes; this one has ${event.bytes}.`)
    }
    return event.depth > limits.jsonDepth ? tooDeep : ok(event)
  }
}
