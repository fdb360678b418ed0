import type { AlertChannel } from '@tributary/contract'
import { count, pluralise } from '../../../lib/format/text.ts'

export const channelKindTitles: Readonly<Record<AlertChannel['kind'], string>> = { slack: 'Slack', webhook: 'Webhook' }

/** Which syncs a channel is told of, in short. */
export const toldSyncs = (syncs: AlertChannel['syncs']): string => {
  if (syncs === null) return 'All syncs'
  return syncs.length === 0 ? 'No syncs' : `${count(syncs.length)} ${pluralise(syncs.length, 'sync')}`
}

/** The channels that are told of a sync. */
export const channelsOf = (sync: string, channels: readonly AlertChannel[]): AlertChannel[] =>
  channels.filter(({ syncs }) => syncs === null || syncs.includes(sync))
