import {
  answerObject,
  type Call,
  ConfigurationError,
  type DeliverContext,
  type EventOutcome,
  type Hidden,
  isWebPage,
  outcomeOfAnswer,
  sendRequest,
} from '@tributary/connector-kit'
import { apiVersions } from '../../wire/conversions/api-version.ts'
import { hidingPersonal, shownMessage } from '../../wire/conversions/shown.ts'
import type { TikTokSettings } from './settings.ts'

export type Context = DeliverContext<TikTokSettings>

/** Personal fields that are sent unhashed. */
const personal: ReadonlySet<string> = new Set([
  'ip',
  'user_agent',
  'url',
  'referrer',
  'city',
  'state',
  'country',
  'idfv',
])

/** Maximum bytes of a response that are read. */
const keepBytes = 64 * 1024

/** The origin of events; a request has one. Each has an ID of its own in the Events Manager. */
export type EventSource = 'web' | 'app' | 'offline' | 'crm'

/** Returns the ID of an event source; undefined if the settings have none. */
export const sourceIdOf = (source: EventSource, settings: TikTokSettings): string | undefined => {
  const { pixel_code, tiktok_app_id, offline_event_set_id, crm_event_set_id } = settings
  const id = { web: pixel_code, app: tiktok_app_id, offline: offline_event_set_id, crm: crm_event_set_id }[
    source
  ]?.trim()
  return id === '' ? undefined : id
}

/** Sends conversions, and returns the parts of the request that must be hidden. Rejects like `sendRequest`. */
export const post = async (
  context: Context,
  data: readonly unknown[],
  code = context.settings.test_event_code?.trim() ?? '',
  source: EventSource = 'web',
): Promise<{ call: Call; hidden: Hidden }> => {
  const { settings } = context
  const token = settings.access_token.trim()
  const body = {
    event_source: source,
    event_source_id: sourceIdOf(source, settings),
    ...(code === '' ? {} : { test_event_code: code }),
    data,
  }
  const hidden = hidingPersonal(body, personal, { headers: ['access-token'], texts: [token] })
  const call = await sendRequest(
    context,
    {
      method: 'POST',
      url: `https://business-api.tiktok.com/open_api/${apiVersions.tiktok.version}/event/track/`,
      headers: {
        accept: 'application/json',
        'access-token': token,
        'content-type': 'application/json',
        'user-agent': 'Tributary/1.0',
      },
      body: JSON.stringify(body),
      keepBytes,
      timeoutMs: 60_000,
    },
    hidden,
  )
  return { call, hidden }
}

/** Returns the code in a response with status 200 ("Appendix, Return codes"). */
export const codeOf = (call: Call): number | undefined => {
  const code = answerObject(call)?.['code']
  return typeof code === 'number' ? code : undefined
}

/**
 * Whether a user must fix the set-up: 40001 no permission, 40101 to 40105 errors of the access token, 40300 the pixel
 * of another account.
 */
const isSetUp = (code: number): boolean => code === 40_001 || (code > 40_100 && code <= 40_105) || code === 40_300
/** Whether an error is temporary: 40100 and 40133 too many requests, from 50000 on faults of TikTok. */
const isPassing = (code: number): boolean => code === 40_100 || code === 40_133 || code >= 50_000

/** The pause in ms if TikTok names no time: a minute. TikTok counts requests per minute and day. */
const pauseMs = 60_000

/** Returns the outcome of a whole request. Throws ConfigurationError for errors that a user must fix. */
export const outcomeOf = (call: Call, now: number, hidden: Hidden): EventOutcome => {
  const { status } = call.answer
  const code = codeOf(call)
  const message = answerObject(call)?.['message']
  const words = typeof message === 'string' && message !== '' ? shownMessage(message, hidden) : `HTTP ${status}`
  const mend = (problem: string): ConfigurationError => new ConfigurationError(problem, call.exchange())
  if (status === 401 || status === 403 || (code !== undefined && isSetUp(code)))
    throw mend(`TikTok refuses the access token: ${words}`)
  if (status >= 300 && status < 400) throw mend(`TikTok redirects (HTTP ${status}), so something is in its way`)
  if (status < 300 && isWebPage(call.answer)) throw mend('A web page came in place of TikTok’s response')
  const outcome = outcomeOfAnswer(call.answer, now, words)
  if (outcome.kind !== 'delivered') return outcome
  if (code === 0) return { kind: 'delivered' }
  if (code === undefined) return { kind: 'retry', reason: 'TikTok did not say what became of the events' }
  return isPassing(code) ? { kind: 'retry', reason: words, retryAfterMs: pauseMs } : { kind: 'rejected', reason: words }
}
