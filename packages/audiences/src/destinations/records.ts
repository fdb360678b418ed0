import type { DeliveryMeta } from '@tributary/contract'
import { losesDigits } from '@tributary/kernel'
import type { AudienceDestinationsTable, LogEntry } from '@tributary/storage'
import type { Selectable } from 'kysely'

/** Returns the producer name that a connection uses in the stream. */
export const producerOf = (connection: string): string => `audience ${connection}`

type Connection = Pick<Selectable<AudienceDestinationsTable>, 'id' | 'workspace_id' | 'audience_id' | 'destination_id'>

/** Returns a record of the stream with audience events for one destination, in the pipeline's format for events. */
export const audienceRecord = (
  { id, workspace_id, audience_id, destination_id }: Connection,
  events: readonly { profileId: string; text: string }[],
): LogEntry => {
  const texts = events.map(({ text }) => text)
  const meta: DeliveryMeta = {
    w: workspace_id,
    s: audience_id,
    d: [destination_id],
    n: events.length,
    b: {
      k: 'audience',
      n: producerOf(id),
      e: events.map(({ profileId }) => profileId),
    },
    ...(texts.some(losesDigits) ? { e: true } : {}),
  }
  return { key: workspace_id, meta: JSON.stringify(meta), body: Buffer.from(`[${texts.join(',\n')}]\n`) }
}
