import {
  answerObject,
  type ConnectionTest,
  type DeliverContext,
  type DeliverResult,
  type OutgoingEvent,
  resultOfCall,
  testOf,
} from '@tributary/connector-kit'
import { apiVersions, endOf } from '../../wire/conversions/api-version.ts'
import { byTestCode } from '../../wire/conversions/by-test-code.ts'
import { type Sent, sendPrepared } from '../../wire/conversions/send-prepared.ts'
import { hidingPersonal } from '../../wire/conversions/shown.ts'
import { ask, failureOf, hiddenOf } from '../../wire/meta/graph.ts'
import { conversionOf } from './conversion.ts'
import type { MetaConversionsSettings } from './settings.ts'

type Context = DeliverContext<MetaConversionsSettings>

/** Personal fields that are sent unhashed. */
const personal: ReadonlySet<string> = new Set([
  'client_ip_address',
  'client_user_agent',
  'event_source_url',
  'referrer_url',
  'madid',
  'vendor_id',
  'anon_id',
  'fb_login_id',
  'ig_sid',
  'page_scoped_user_id',
])

const pixelOf = ({ settings }: Context): string => settings.pixel_id.trim()

/**
 * Sends conversions. Meta accepts a request completely or not at all ("Using the API"), so a request that is refused
 * because of one event is split.
 */
const send = async (context: Context, bodies: readonly unknown[], code: string): Promise<Sent> => {
  const body = { data: bodies, ...(code === '' ? {} : { test_event_code: code }) }
  const hidden = hidingPersonal(body, personal, hiddenOf(context))
  const call = await ask(context, 'POST', `${pixelOf(context)}/events`, body, hidden)
  const failure = failureOf(call, context.clock(), 'pixel', hidden)
  if (failure?.kind === 'rejected') return { ...resultOfCall(call, failure), outcomes: { ...failure, kind: 'split' } }
  if (failure !== undefined) return resultOfCall(call, failure)
  const received = answerObject(call)?.['events_received']
  if (received === bodies.length) return resultOfCall(call, { kind: 'delivered' })
  // Meta counts a repeated event once, by the event ID.
  const reason =
    typeof received === 'number'
      ? `Meta received ${received} of ${bodies.length} events`
      : 'Meta did not say what became of the events'
  return resultOfCall(call, { kind: 'retry', reason })
}

/**
 * Sends a batch as conversions. Meta counts a repeated conversion once, by its event ID ("Deduplicate Pixel and Server
 * Events").
 */
export const deliver = (batch: readonly OutgoingEvent[], context: Context): Promise<DeliverResult> =>
  byTestCode(batch, context.settings.test_event_code, (events, code) =>
    sendPrepared(
      events,
      (event) => conversionOf(event, context.settings, context.clock()),
      (bodies) => send(context, bodies, code),
    ),
  )

/** Reads the name of the pixel. */
export const testConnection = (context: Context): Promise<ConnectionTest> =>
  testOf(async () => {
    const call = await ask(context, 'GET', `${pixelOf(context)}?fields=name`)
    const failure = failureOf(call, context.clock(), 'pixel')
    if (failure !== undefined) return { ok: false, message: `Meta can't be used right now: ${failure.reason}` }
    const name = answerObject(call)?.['name']
    if (typeof name !== 'string') return { ok: false, message: 'What answered is not Meta' }
    return { ok: true, message: `Connected to the pixel ${name}.${endOf(apiVersions.meta, context.clock())}` }
  })
