import type { DeliveryMeta } from '@tributary/contract'
import type { LogEntry } from '@tributary/storage'
import type { NormalEvent } from './event-types.ts'
import { jsonString } from './json-text.ts'

const text = (key: string, value: string): string => (value === '' ? '' : `,"${key}":${jsonString(value)}`)

const time = (key: string, ms: number | undefined): string =>
  ms === undefined ? '' : `,"${key}":"${new Date(ms).toISOString()}"`

/** Unknown keys of the body as a JSON object. Written as text, so that a key like `__proto__` stays a key. */
const extra = (event: NormalEvent): string => {
  if (event.extraKeys === undefined) return ''
  let members = ''
  for (const key of event.extraKeys) {
    members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${JSON.stringify(event.body[key])}`
  }
  return `,"extra":{${members}}`
}

/** A PipelineEvent as JSON text. */
export const pipelineEventText = (event: NormalEvent): string => {
  const { request } = event.raw
  return (
    `{"eventId":"${event.raw.eventId}","messageId":${jsonString(event.messageId)},"type":"${event.type}","event":${jsonString(event.event)}` +
    `${text('userId', event.userId)}${text('anonymousId', event.anonymousId)}${text('groupId', event.groupId)}${text('previousId', event.previousId)}` +
    `${event.properties === undefined ? '' : `,"properties":${JSON.stringify(event.properties)}`}` +
    `${event.traits === undefined ? '' : `,"traits":${JSON.stringify(event.traits)}`},"context":${JSON.stringify(event.context)}` +
    `${event.integrations === undefined ? '' : `,"integrations":${JSON.stringify(event.integrations)}`},"test":${event.test}` +
    `,"receivedAt":"${request.receivedAt}","timestamp":"${event.timestamp === request.meta.r ? request.receivedAt : new Date(event.timestamp).toISOString()}"` +
    `${time('originalTimestamp', event.originalTimestamp)}${time('sentAt', event.sentAt)}${extra(event)}}`
  )
}

/** The accepted events of one source in one micro-batch, as JSON texts. */
export type SourceEvents = {
  readonly workspaceId: string
  readonly sourceId: string
  readonly destinations: readonly string[]
  readonly events: readonly string[]
}

/**
 * The records that carry a source's events to delivery: their order is kept, a body is a JSON list of at most
 * `recordBytes` (or of one event, if that alone is larger).
 */
export const deliveryRecords = (source: SourceEvents, recordBytes: number): LogEntry[] => {
  const records: LogEntry[] = []
  let from = 0
  let bytes = 2
  const cut = (to: number): void => {
    if (to === from) return
    const meta: DeliveryMeta = { w: source.workspaceId, s: source.sourceId, d: [...source.destinations], n: to - from }
    records.push({
      key: source.workspaceId,
      meta: JSON.stringify(meta),
      body: Buffer.from(`[${source.events.slice(from, to).join(',')}]`),
    })
    from = to
    bytes = 2
  }
  source.events.forEach((event, index) => {
    const size = Buffer.byteLength(event) + 1
    if (bytes + size > recordBytes) cut(index)
    bytes += size
  })
  cut(source.events.length)
  return records
}
