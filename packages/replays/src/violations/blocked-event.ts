import { type SourceSchema, validateValues } from '@tributary/contract'
import { isJsonObject, jsonMembers, jsonText } from '@tributary/kernel'
import { payloadOf, wireTime } from '../events/read.ts'

/** A blocked or held event as read from the event store. Times are epoch ms. */
export type BlockedRow = {
  event_id: string
  message_id: string
  type: string
  event: string
  original: string
  /** JSON text, merged with the context of its batch. */
  context: string
  /** The integrations as JSON text, merged with those of its batch; '' if there are none. */
  integrations: string
  timestamp_ms: number
  original_timestamp_ms: number | null
  sent_at_ms: number | null
}

/**
 * Returns the event as it is sent again; undefined if it does not match `schema`, if one is given. The result is the
 * original with the members that its request and the pipeline added: type, message ID, times, context and integrations.
 * So the event keeps its time, and receivers recognize it by its message ID.
 */
export const replayedEvent = (row: BlockedRow, schema?: SourceSchema): string | undefined => {
  const original = payloadOf(row.original)
  if (original === null) return undefined
  if (schema !== undefined) {
    const context = payloadOf(row.context) ?? {}
    const { properties, traits } = original
    const validated = row.type !== 'identify' ? properties : isJsonObject(traits) ? traits : context['traits']
    if (validateValues(schema, row.type, row.event, validated).compatibility !== 'compatible') return undefined
  }
  // Members stay texts, so that every value is unchanged.
  const members = jsonMembers(row.original)
    .set('type', JSON.stringify(row.type))
    .set('messageId', JSON.stringify(row.message_id))
    .set('context', row.context === '' ? '{}' : row.context)
  if (row.integrations !== '') members.set('integrations', row.integrations)
  for (const [name, ms] of [
    ['timestamp', row.timestamp_ms],
    ['originalTimestamp', row.original_timestamp_ms],
    ['sentAt', row.sent_at_ms],
  ] as const)
    if (ms !== null) members.set(name, JSON.stringify(wireTime(ms)))
  return jsonText(members)
}
