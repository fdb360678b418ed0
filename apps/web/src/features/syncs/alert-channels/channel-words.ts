import type { AlertChannel } from '@tributary/contract'
import { count, pluralise } from '../../../lib/format/text.ts'

export const channelKindTitles: Readonly<Record<AlertChannel['kind'], string>> = { slack: 'Slack', webhook: 'Webhook' }

/** The syncs of a channel, in short. */
export const syncsText = (syncs: AlertChannel['syncs']): string => {
  if (syncs === null) return 'All syncs'
  return syncs.length === 0 ? 'No syncs' : `${count(syncs.length)} ${pluralise(syncs.length, 'sync')}`
}

/** The channels that are notified of a sync. */
export const channelsOf = (sync: string, channels: readonly AlertChannel[]): AlertChannel[] =>
  channels.filter(({ syncs }) => syncs === null || syncs.includes(sync))
