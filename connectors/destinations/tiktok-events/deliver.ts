import {
  type ConnectionTest,
  type DeliverResult,
  type OutgoingEvent,
  resultOfCall,
  testOf,
} from '@tributary/connector-kit'
import { apiVersions, endOf } from '../../wire/conversions/api-version.ts'
import { inGroups, testCodeOf } from '../../wire/conversions/by-test-code.ts'
import { type Sent, sendPrepared } from '../../wire/conversions/send-prepared.ts'
import { codeOf, invalidParameter, outcomeOf } from '../../wire/tiktok/business-api.ts'
import { conversionOf, eventSourceOf } from './conversion.ts'
import { type Context, type EventSource, post } from './request.ts'

/** The word for events in messages. */
const items = 'events'

/**
 * Sends conversions. TikTok accepts a request completely or not at all, so a request that is refused because of an
 * event is split.
 */
const send = async (
  context: Context,
  bodies: readonly unknown[],
  { code, source }: { code: string; source: EventSource },
): Promise<Sent> => {
  const { call, hidden } = await post(context, bodies, code, source)
  const outcome = outcomeOf(call, { now: context.clock(), hidden, items })
  const result = resultOfCall(call, outcome)
  return outcome.kind === 'rejected' ? { ...result, outcomes: { ...outcome, kind: 'split' } } : result
}

/**
 * Sends a batch as conversions, those of each event source and test code in a request of their own. If conversions are
 * sent again, they count once, because event and event ID are the same ("Event deduplication", 48 hours).
 */
export const deliver = (batch: readonly OutgoingEvent[], context: Context): Promise<DeliverResult> => {
  const { settings } = context
  return inGroups(
    batch,
    (event) => JSON.stringify([eventSourceOf(event), testCodeOf(event, settings.test_event_code)]),
    (events) => {
      const [first] = events as readonly [OutgoingEvent, ...OutgoingEvent[]]
      const group = { code: testCodeOf(first, settings.test_event_code), source: eventSourceOf(first) ?? 'web' }
      return sendPrepared(
        events,
        (event) => conversionOf(event, settings, context.clock()),
        (bodies) => send(context, bodies, group),
      )
    },
  )
}

/** Sends an empty list, because TikTok checks the token before the list. */
export const testConnection = (context: Context): Promise<ConnectionTest> =>
  testOf(async () => {
    const { call, hidden } = await post(context, [])
    const outcome = outcomeOf(call, { now: context.clock(), hidden, items })
    if (outcome.kind !== 'delivered' && codeOf(call) !== invalidParameter)
      return { ok: false, message: `TikTok can't be used right now: ${outcome.reason}` }
    return { ok: true, message: `TikTok accepts this access token.${endOf(apiVersions.tiktok, context.clock())}` }
  })
