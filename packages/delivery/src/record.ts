import type { OutgoingEvent } from '@tributary/connector-kit'
import { type DeliveryMeta, deliveryMeta, type PipelineEvent } from '@tributary/contract'
import type { LogRecord } from '@tributary/storage'

/** What is known of a record without its body: small enough to be kept until everything about it is durable. */
export type RecordReference = {
  readonly partition: number
  readonly offset: number
  /** Epoch ms of the append. */
  readonly time: number
  readonly bytes: number
  readonly meta: DeliveryMeta
}

/** A record of the deliveries log: its body is parsed once, by the first lane that sends it. */
export type DeliveryRecord = {
  readonly reference: RecordReference
  /** Its events; undefined when the body is not what the pipeline writes. */
  events(): readonly OutgoingEvent[] | undefined
}

const outgoing = (event: PipelineEvent): OutgoingEvent => {
  let json: string | undefined
  return {
    eventId: event.eventId,
    messageId: event.messageId,
    type: event.type,
    event: event.event,
    get json() {
      json ??= JSON.stringify(event)
      return json
    },
  }
}

const parseBody = (body: Uint8Array): readonly OutgoingEvent[] | undefined => {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString())
    // Our own pipeline wrote it under the contract's type; only the outer shape is checked here.
    return Array.isArray(parsed) ? parsed.map((event: PipelineEvent) => outgoing(event)) : undefined
  } catch {
    return undefined
  }
}

const parseMeta = (text: string): DeliveryMeta | undefined => {
  try {
    return deliveryMeta.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

/** Reads a record's meta; undefined when it is not one of ours. */
export const openRecord = (record: LogRecord): DeliveryRecord | undefined => {
  const meta = parseMeta(record.meta)
  if (meta === undefined) return undefined
  let parsed: { events: readonly OutgoingEvent[] | undefined } | undefined
  const { partition, offset, time, body } = record
  return {
    reference: { partition, offset, time, bytes: body.byteLength, meta },
    events: () => {
      parsed ??= { events: parseBody(body) }
      return parsed.events
    },
  }
}
