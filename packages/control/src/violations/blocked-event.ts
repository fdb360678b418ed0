import { judgeValues, type SourceSchema } from '@tributary/contract'
import { wireTime } from '../events/read.ts'

/** A blocked event as the event store has it. Times are epoch ms. */
export type BlockedRow = {
  event_id: string
  message_id: string
  type: string
  event: string
  original: string
  /** JSON text: that of its batch is in it. */
  context: string
  /** The same of its integrations, or ''. */
  integrations: string
  timestamp_ms: number
  original_timestamp_ms: number | null
  sent_at_ms: number | null
}

type Values = { readonly [name: string]: unknown }

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const objectOf = (text: string): Values | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * The event as it is sent again, or undefined when it does not fit `schema`. It is the original with what its request
 * said beside it and what the pipeline found out: type, message id, times, context and integrations. So its time is the
 * one it had, and its receivers know it by its message id.
 */
export const replayedEvent = (row: BlockedRow, schema: SourceSchema): string | undefined => {
  const original = objectOf(row.original)
  if (original === undefined) return undefined
  const context = objectOf(row.context) ?? {}
  const { properties, traits } = original
  const judged = row.type !== 'identify' ? properties : isObject(traits) ? traits : context['traits']
  if (judgeValues(schema, row.type, row.event, judged).compatibility !== 'compatible') return undefined
  const integrations = row.integrations === '' ? undefined : objectOf(row.integrations)
  return JSON.stringify({
    ...original,
    type: row.type,
    messageId: row.message_id,
    context,
    ...(integrations === undefined ? {} : { integrations }),
    timestamp: wireTime(row.timestamp_ms),
    ...(row.original_timestamp_ms === null ? {} : { originalTimestamp: wireTime(row.original_timestamp_ms) }),
    ...(row.sent_at_ms === null ? {} : { sentAt: wireTime(row.sent_at_ms) }),
  })
}
