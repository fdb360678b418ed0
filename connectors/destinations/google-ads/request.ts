import type { DeliverContext } from '@tributary/connector-kit'
import { type Asked, askDataManager, destinationOf } from '../../wire/google/data-manager.ts'
import type { GoogleAdsSettings } from './settings.ts'

export type Context = DeliverContext<GoogleAdsSettings>

/**
 * Sends events to a conversion action. The requests of the context must carry the token of the grant. Rejects like
 * `sendRequest`.
 */
export const ingest = (
  context: Context,
  actionId: string,
  events: readonly unknown[],
  validateOnly: boolean,
): Promise<Asked> =>
  askDataManager(context, 'events:ingest', {
    destinations: [destinationOf(context.settings, actionId)],
    events,
    encoding: 'HEX',
    ...(validateOnly ? { validateOnly: true } : {}),
  })
