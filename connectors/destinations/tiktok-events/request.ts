import type { Call, DeliverContext, Hidden } from '@tributary/connector-kit'
import { hidingPersonal } from '../../wire/conversions/shown.ts'
import { askTikTok, hiddenOf } from '../../wire/tiktok/business-api.ts'
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
  const body = {
    event_source: source,
    event_source_id: sourceIdOf(source, context.settings),
    ...(code === '' ? {} : { test_event_code: code }),
    data,
  }
  const hidden = hidingPersonal(body, personal, hiddenOf(context))
  return { call: await askTikTok(context, 'event/track/', { body, hidden }), hidden }
}
