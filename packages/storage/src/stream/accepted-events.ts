import { readStreamFacts, type StreamedEvent } from '@tributary/contract'
import type { LogRecord } from '../log/port.ts'

/** An accepted event for a consumer. */
export type AcceptedEvent = {
  readonly workspaceId: string
  readonly sourceId: string
  /**
   * Unique, and the same whenever the event is repeated, so that a consumer recognizes an event that it has processed.
   */
  readonly eventId: string
  /** A StreamedEvent as JSON text, with unchanged values. It may have further members of the event. */
  readonly json: string
}

/** The values of an accepted event that a consumer may read. */
export const valuesOf = (event: AcceptedEvent): StreamedEvent =>
  // The pipeline or a replay wrote the text, so every key has its type.
  JSON.parse(event.json) as StreamedEvent

/** The position of an event's request in the log of accepted requests. */
export type RequestPlace = { readonly incarnation: string; readonly offset: number }

/** The position that an event's ID contains. */
export const requestPlaceOf = (eventId: string): RequestPlace => {
  const [, offset, , incarnation = ''] = eventId.split('-')
  return { incarnation, offset: Number(offset) }
}

/** Whether a position comes before another one of the same partition. */
export const isPlaceBefore = (a: RequestPlace, b: RequestPlace): boolean =>
  a.incarnation === b.incarnation ? a.offset < b.offset : a.incarnation < b.incarnation

const idBegins = '{"eventId":"'

const idOf = (json: string): string =>
  json.startsWith(idBegins)
    ? json.slice(idBegins.length, json.indexOf('"', idBegins.length))
    : String(JSON.parse(json).eventId)

/** A record of accepted events, with the offset after the last request of its group. */
export type AcceptedRecord = { readonly through: number | undefined; readonly events: readonly AcceptedEvent[] }

/**
 * The accepted events of a record of the stream, in their order. Undefined for any other record, such as the events
 * that a replay sends to one destination again, or rows of a producer. The body is a JSON list with one event per line.
 *
 * @throws NewerFormat
 */
export const acceptedRecord = (record: LogRecord): AcceptedRecord | undefined => {
  const meta = readStreamFacts(record.meta)
  if (meta === undefined || meta.replayId !== undefined || meta.producer !== undefined) return undefined
  const { workspaceId, sourceId } = meta
  const text = Buffer.from(record.body.buffer, record.body.byteOffset, record.body.byteLength).toString()
  const events = text
    .slice(1, text.lastIndexOf(']'))
    .split(',\n')
    .map((json) => ({ workspaceId, sourceId, eventId: idOf(json), json }))
  return { through: meta.through, events }
}
