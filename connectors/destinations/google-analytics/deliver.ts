import {
  answerObject,
  type Call,
  ConfigurationError,
  type ConnectionTest,
  createHeldGroups,
  cutText,
  type DeliverContext,
  type DeliverResult,
  DeliveryError,
  type EventOutcome,
  failedOutcome,
  isJsonObject,
  type OutgoingEvent,
  outcomeOfAnswer,
  resultOfCall,
  sendRequest,
  testOf,
} from '@tributary/connector-kit'
import { type Sent, sendPrepared } from '../../wire/conversions/send-prepared.ts'
import { hidingPersonal } from '../../wire/conversions/shown.ts'
import { type Sendable, sendableOf } from './event.ts'
import type { AnalyticsSettings } from './settings.ts'

type Context = DeliverContext<AnalyticsSettings>

const hosts = { global: 'www.google-analytics.com', eu: 'region1.google-analytics.com' }

/** Personal fields that are sent unhashed. */
const personal: ReadonlySet<string> = new Set([
  'page_location',
  'page_referrer',
  'ip_override',
  'user_agent',
  'user_properties',
  'city',
])

/**
 * Returns the parameter of the URL that names the stream ("Send Measurement Protocol events", key request components by
 * stream type). Throws ConfigurationError if the settings have none.
 */
const streamOf = ({ stream, measurement_id, firebase_app_id }: AnalyticsSettings): Record<string, string> => {
  const [name, id, title] =
    stream === 'app'
      ? (['firebase_app_id', firebase_app_id, 'ID of the Firebase app'] as const)
      : (['measurement_id', measurement_id, 'measurement ID'] as const)
  if ((id?.trim() ?? '') === '') throw new ConfigurationError(`Enter the ${title} in the settings`)
  return { [name]: id?.trim() ?? '' }
}

const post = async (context: Context, path: string, body: unknown): Promise<Call> => {
  const { region, api_secret } = context.settings
  const secret = api_secret.trim()
  const query = new URLSearchParams({ ...streamOf(context.settings), api_secret: secret })
  return await sendRequest(
    context,
    {
      method: 'POST',
      url: `https://${hosts[region]}/${path}?${query.toString()}`,
      headers: { 'content-type': 'application/json', 'user-agent': 'Tributary/1.0' },
      body: JSON.stringify(body),
      keepBytes: 64 * 1024,
    },
    hidingPersonal(body, personal, { headers: [], texts: [secret] }),
  )
}

/** "Limitations": a request has at most 25 events and 130 kB. */
const most = { events: 25, bytes: 130_000 }

type Request = { sender: Sendable['sender']; events: unknown[]; places: number[]; bytes: number }

/**
 * Returns the requests for these events, each for one client, with as many events as the limits allow, and the indexes
 * of events that are too large.
 */
const requestsOf = (bodies: readonly Sendable[]): { requests: Request[]; tooLarge: number[] } => {
  const bySender = new Map<string, Request>()
  const requests: Request[] = []
  const tooLarge: number[] = []
  for (const [place, { sender, event }] of bodies.entries()) {
    const key = JSON.stringify(sender)
    const own = Buffer.byteLength(JSON.stringify(event)) + 1
    const alone = Buffer.byteLength(key) + own + 20
    if (alone > most.bytes) {
      tooLarge.push(place)
      continue
    }
    const open = bySender.get(key)
    if (open !== undefined && open.events.length < most.events && open.bytes + own <= most.bytes) {
      open.events.push(event)
      open.places.push(place)
      open.bytes += own
      continue
    }
    const made = { sender, events: [event], places: [place], bytes: alone }
    bySender.set(key, made)
    requests.push(made)
  }
  return { requests, tooLarge }
}

/**
 * Returns the outcome of a request. Google responds to any request with 2xx ("Validate events"), so another status is
 * temporary, or does not come from Google.
 */
const outcomeOf = (call: Call, now: number): EventOutcome => {
  const { status } = call.answer
  if (status >= 300 && status < 400)
    throw new ConfigurationError(
      `Google Analytics redirects (HTTP ${status}), so something is in its way`,
      call.exchange(),
    )
  return outcomeOfAnswer(call.answer, now, `Google Analytics responded with HTTP ${status}`)
}

/**
 * Sends the requests one after the other. Stops after a request that must be retried, but not after one that waits for a
 * user.
 */
const send = async (context: Context, bodies: readonly Sendable[]): Promise<Sent> => {
  const { requests, tooLarge } = requestsOf(bodies)
  const outcomes: (EventOutcome | undefined)[] = bodies.map(() => undefined)
  for (const at of tooLarge) outcomes[at] = { kind: 'rejected', reason: 'The event has more than 130 kB' }
  let shown: Omit<DeliverResult, 'outcomes'> = { httpStatus: 0, latencyMs: 0 }
  let latencyMs = 0
  let rest: EventOutcome = { kind: 'retry', reason: 'Not sent, because an earlier request is retried' }
  const held = createHeldGroups()
  const sendOne = async (one: Request): Promise<EventOutcome> => {
    const { sender, events } = one
    const call = await post(context, 'mp/collect', { ...sender, events })
    const outcome = outcomeOf(call, context.clock())
    latencyMs += call.answer.latencyMs
    if (shown.request === undefined) shown = resultOfCall(call, outcome)
    held.answered(one, outcome)
    return outcome
  }
  for (const request of requests) {
    try {
      const outcome = held.heldOutcome(request) ?? (await sendOne(request))
      for (const at of request.places) outcomes[at] = outcome
      if (outcome.kind !== 'retry' || outcome.misconfigured === true) continue
      rest = outcome
      break
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error
      if (error instanceof ConfigurationError) {
        const outcome = held.hold(request, error)
        if (shown.request === undefined && error.exchange !== undefined) shown = error.exchange
        for (const at of request.places) outcomes[at] = outcome
        continue
      }
      if (outcomes.every((each) => each?.kind !== 'delivered')) throw error
      rest = failedOutcome(error)
      break
    }
  }
  const { httpStatus, request, response } = shown
  return {
    outcomes: held.settled(outcomes.map((each) => each ?? rest)),
    httpStatus,
    latencyMs,
    ...(request === undefined ? {} : { request }),
    ...(response === undefined ? {} : { response }),
  }
}

/**
 * Sends a batch as events, each client's events in separate requests. Google counts a repeated purchase once, by its
 * transaction ID.
 */
export const deliver = (batch: readonly OutgoingEvent[], context: Context): Promise<DeliverResult> =>
  sendPrepared(
    batch,
    (event) => sendableOf(event, context.settings, context.clock()),
    (bodies) => send(context, bodies),
  )

/**
 * Sends an event to the validation server, which does not count it. The server does not check the keys ("Validate
 * events").
 */
export const testConnection = (context: Context): Promise<ConnectionTest> =>
  testOf(async () => {
    const client = context.settings.stream === 'app' ? { app_instance_id: '0'.repeat(32) } : { client_id: '1.1' }
    const call = await post(context, 'debug/mp/collect', {
      ...client,
      events: [{ name: 'tributary_test', params: {} }],
    })
    const outcome = outcomeOf(call, context.clock())
    if (outcome.kind !== 'delivered')
      return { ok: false, message: `Google Analytics can't be used right now: ${outcome.reason}` }
    const messages = answerObject(call)?.['validationMessages']
    if (!Array.isArray(messages)) return { ok: false, message: 'What answered is not Google Analytics' }
    const [first]: unknown[] = messages
    if (isJsonObject(first)) {
      const description = first['description']
      return {
        ok: false,
        message: `Google Analytics refuses: ${typeof description === 'string' ? cutText(description, 300) : ''}`,
      }
    }
    return {
      ok: true,
      message: 'Google Analytics can be reached. It does not check the API secret: look for events under Realtime.',
    }
  })
