import {
  type ConnectionTest,
  type DeliverResult,
  DeliveryError,
  type EventOutcome,
  type OutgoingEvent,
  resultOfCall,
  testOf,
  withGrant,
} from '@tributary/connector-kit'
import { apiVersions, endOf } from '../../wire/conversions/api-version.ts'
import { type Sent, sendPrepared } from '../../wire/conversions/send-prepared.ts'
import { type Conversion, conversionOf } from './conversion.ts'
import { type Context, ingest, verdictOf } from './request.ts'
import { customerOf } from './settings.ts'

/** Maximum number of times that the remaining conversions are sent again without the refused ones. */
const maxRounds = 4

type Place = { at: number; event: unknown }

type Settled = {
  outcomes: (EventOutcome | undefined)[]
  shown: Omit<DeliverResult, 'outcomes'>
  latencyMs: number
}

/**
 * Sends the conversions of one action. Google accepts a request completely or not at all, and names the faulty
 * conversions ("Understand API errors", fast-fail model). The other conversions are then sent again; if no conversion
 * is named, in halves. Returns false if a conversion must be retried.
 */
const sendAction = async (
  context: Context,
  actionId: string,
  places: readonly Place[],
  settled: Settled,
  round = 0,
): Promise<boolean> => {
  const events = places.map(({ event }) => event)
  const sent = await ingest(context, actionId, events, context.settings.validate_only)
  const { outcome, refused } = verdictOf(sent, events.length, context.clock())
  settled.latencyMs += sent.call.answer.latencyMs
  if (settled.shown.request === undefined) settled.shown = resultOfCall(sent.call, outcome)
  const settle = (those: readonly Place[], one: EventOutcome): void => {
    for (const { at } of those) settled.outcomes[at] = one
  }
  if (outcome.kind !== 'rejected' || places.length === 1) {
    const words = refused.get(0)
    settle(places, outcome.kind === 'rejected' && words !== undefined ? { ...outcome, reason: words } : outcome)
    return outcome.kind !== 'retry'
  }
  if (refused.size === 0) {
    const middle = Math.ceil(places.length / 2)
    return (
      (await sendAction(context, actionId, places.slice(0, middle), settled, round)) &&
      (await sendAction(context, actionId, places.slice(middle), settled, round))
    )
  }
  for (const [index, reason] of refused) {
    const place = places[index]
    if (place !== undefined) settle([place], { kind: 'rejected', reason })
  }
  const rest = places.filter((_, index) => !refused.has(index))
  if (rest.length === 0) return true
  if (round < maxRounds) return await sendAction(context, actionId, rest, settled, round + 1)
  settle(rest, { kind: 'retry', reason: 'Not sent, because Google refused others of the request' })
  return false
}

const send = async (context: Context, bodies: readonly Conversion[]): Promise<Sent> => {
  const settled: Settled = {
    outcomes: bodies.map(() => undefined),
    shown: { httpStatus: 0, latencyMs: 0 },
    latencyMs: 0,
  }
  let rest: EventOutcome = { kind: 'retry', reason: 'Not sent, because an earlier request is retried' }
  try {
    for (const actionId of new Set(bodies.map((body) => body.actionId))) {
      const places = bodies.flatMap((body, at) => (body.actionId === actionId ? [{ at, event: body.event }] : []))
      if (!(await sendAction(context, actionId, places, settled))) break
    }
  } catch (error) {
    if (!(error instanceof DeliveryError) || settled.outcomes.every((outcome) => outcome === undefined)) throw error
    const misconfigured = error.name === 'ConfigurationError' ? { misconfigured: true } : {}
    rest = { kind: 'retry', reason: error.message, ...misconfigured }
  }
  return {
    ...settled.shown,
    latencyMs: settled.latencyMs,
    outcomes: settled.outcomes.map((outcome) => outcome ?? rest),
  }
}

/** Sends conversions to Google Ads. Google counts a repeated conversion once, by its transaction ID. */
export const deliver = (batch: readonly OutgoingEvent[], context: Context): Promise<DeliverResult> => {
  const granted = withGrant(context)
  return sendPrepared(
    batch,
    (event) => conversionOf(event, context.settings, context.clock()),
    (bodies) => send(granted, bodies),
  )
}

/** Sends a conversion without a user for validation only, so that Google does not import it. */
export const testConnection = (context: Context): Promise<ConnectionTest> =>
  testOf(async () => {
    const { conversion_action_id: actionId, customer_id } = context.settings
    const event = {
      transactionId: 'tributary-test',
      eventTimestamp: new Date(context.clock()).toISOString(),
      eventSource: 'WEB',
      userData: { userIdentifiers: [{ emailAddress: '0'.repeat(64) }] },
    }
    const sent = await ingest(withGrant(context), actionId.trim(), [event], true)
    const { outcome, refused } = verdictOf(sent, 1, context.clock())
    if (outcome.kind !== 'delivered')
      return { ok: false, message: `Google Ads can't be used right now: ${refused.get(0) ?? outcome.reason}` }
    const customer = customerOf(customer_id).replace(/^(\d{3})(\d{3})(\d{4})$/, '$1-$2-$3')
    const end = endOf(apiVersions.google, context.clock())
    return { ok: true, message: `Connected to the Google Ads account ${customer}.${end}` }
  })
