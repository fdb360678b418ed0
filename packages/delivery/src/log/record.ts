import type { EventProfile, OutgoingEvent, OutgoingRow } from '@tributary/connector-kit'
import {
  eventTypes,
  holdsRows,
  type PipelineEvent,
  type ProducerKind,
  readStreamFacts,
  type StreamFacts,
} from '@tributary/contract'
import type { LogRecord } from '@tributary/storage'

/** Lanes by priority. Replays, audiences, and syncs are sent when no live event could be sent. */
export const lanes = ['live', 'bulk'] as const
export type Lane = (typeof lanes)[number]

/**
 * The kinds of producers whose records arrive in the lane `bulk`. Conversions and deletions arrive in the lane `live`:
 * conversions come from live events, and deletions of users are sent immediately.
 */
const bulkKinds: ReadonlySet<ProducerKind> = new Set(['sync', 'audience', 'trait'])

/** Returns the lane in which a record arrives. Its failed and replayed parts go into the other lane. */
const laneOf = ({ replayId, producer, isLater }: Pick<StreamFacts, 'replayId' | 'producer' | 'isLater'>): Lane =>
  replayId !== undefined || isLater || (producer !== undefined && bulkKinds.has(producer.kind)) ? 'bulk' : 'live'

/** Maximum share of a lane in the capacity of all destinations together. The rest stays free for live events. */
export const shareOf: Readonly<Record<Lane, number>> = { live: 1, bulk: 0.5 }

/** Creates a value for each lane. */
export const ofLanes = <T>(make: (lane: Lane) => T): Readonly<Record<Lane, T>> => ({
  live: make('live'),
  bulk: make('bulk'),
})

/**
 * The facts of a record without its body. They are small enough to keep until everything about the record is durable.
 */
export type RecordReference = {
  readonly partition: number
  readonly offset: number
  /** Time of the append, epoch ms. */
  readonly time: number
  readonly bytes: number
  /** The lane in which the record arrived. */
  readonly lane: Lane
  readonly meta: StreamFacts
}

/** An event as stored in the log; each destination decides how it is sent. */
type RecordedEvent = Omit<OutgoingEvent, 'action' | 'payload'> & { readonly row?: undefined }

/** A row as stored in the log, with the field names of events: `eventId` is the producer's own ID of the row. */
type RecordedRow = Omit<RecordedEvent, 'type' | 'row'> & { readonly type: ''; readonly row: OutgoingRow }

/** The events or rows of records. */
export type Recorded = RecordedEvent | RecordedRow

/** A record's event or row, with the action and payload from the gate. */
export type Outgoing = Recorded & Pick<OutgoingEvent, 'action' | 'payload' | 'fixedLists'>

/** The values of a profile with which an event was mapped first. */
export type KeptProfile = EventProfile & {
  /** The names that were looked up. */
  readonly needs: readonly string[]
  /** The version of the deleted and suppressed users at that time. */
  readonly version?: string
}

/** A record of the deliveries log. The first worker that sends it parses the body, only once. */
export type DeliveryRecord = {
  readonly reference: RecordReference
  /**
   * The events or rows of the record; undefined if the body is not in the form that the pipeline and producers write.
   */
  events(): readonly Recorded[] | undefined
  /** The parsed values of an event, shared by all callers; undefined if its text is not JSON. */
  values(index: number): PipelineEvent | undefined
  /** The profiles of its events by index, if the destination's mappings use them and they were looked up. */
  profiles?: ReadonlyMap<number, KeptProfile>
}

const recorded = (event: PipelineEvent): RecordedEvent => {
  let json: string | undefined
  const { eventId, messageId, type, event: name } = event
  return {
    eventId,
    messageId,
    type,
    event: name,
    get json() {
      json ??= JSON.stringify(event)
      return json
    },
  }
}

const head =
  /^\{"eventId":"([^"\\]*)","messageId":"((?:[^"\\]|\\.)*)","type":"([a-z]+)","event":"((?:[^"\\]|\\.)*)"[,}]/
const isEventType = (text: string): text is OutgoingEvent['type'] => eventTypes.some((type) => type === text)
const unescaped = (text: string): string => (text.includes('\\') ? String(JSON.parse(`"${text}"`)) : text)

/**
 * Splits a list of events as written by the pipeline: one per line, each beginning with its IDs and names. The texts
 * are sent unchanged. Parsing and writing them again took twice the processor time, and made most of the garbage.
 * Undefined for text in any other form.
 */
const splitLines = (text: string, count: number): RecordedEvent[] | undefined => {
  if (!text.startsWith('[{') || !text.endsWith('}]\n')) return undefined
  const lines = text.slice(1, -2).split(',\n')
  if (lines.length !== count) return undefined
  const events: RecordedEvent[] = []
  for (const json of lines) {
    const [, eventId, messageId, type, event] = head.exec(json) ?? []
    if (eventId === undefined || messageId === undefined || type === undefined || event === undefined) return undefined
    if (!isEventType(type) || !json.endsWith('}')) return undefined
    events.push({ eventId, messageId: unescaped(messageId), type, event: unescaped(event), json })
  }
  return events
}

const parseBody = (body: Uint8Array, count: number): readonly RecordedEvent[] | undefined => {
  try {
    const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()
    const lines = splitLines(text, count)
    if (lines !== undefined) return lines
    const parsed: unknown = JSON.parse(text)
    // The pipeline wrote the text with the contract's type, so only the outer shape is checked here.
    return Array.isArray(parsed) ? parsed.map((event: PipelineEvent) => recorded(event)) : undefined
  } catch {
    return undefined
  }
}

const rowHead =
  /^\{"recordId":("[^"\\]+"),"operation":"(upsert|update|insert|delete)","object":("(?:[^"\\]|\\.)*"),"key":("(?:[^"\\]|\\.)*"),"payload":(?=\{)/
const operationOf = new Map<string, OutgoingRow['operation']>(
  (['upsert', 'update', 'insert', 'delete'] as const).map((name) => [name, name]),
)

/**
 * Parses the rows of a list as written by `outboundBody`; payloads are sent as unchanged texts. Undefined for any other
 * text.
 */
const parseRows = (body: Uint8Array, count: number): RecordedRow[] | undefined => {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()
  if (!text.startsWith('[{') || !text.endsWith('}]\n')) return undefined
  const lines = text.slice(1, -2).split(',\n')
  if (lines.length !== count) return undefined
  const rows: RecordedRow[] = []
  for (const line of lines) {
    const [head, id = '""', name = '', object = '""', key = '""'] = rowHead.exec(line) ?? []
    const operation = operationOf.get(name)
    if (head === undefined || operation === undefined || !line.endsWith('}}')) return undefined
    const json = line.slice(head.length, -1)
    const eventId = id.slice(1, -1)
    const row = {
      recordId: eventId,
      operation,
      object: unescaped(object.slice(1, -1)),
      key: unescaped(key.slice(1, -1)),
      json,
      text: line,
    }
    rows.push({ eventId, messageId: '', type: '', event: '', json, row })
  }
  return rows
}

/**
 * Parses the text of an event; undefined if it is not JSON. The pipeline wrote the text with the contract's type, so
 * the type is not checked here.
 */
const parseEvent = (json: string): PipelineEvent | undefined => {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/**
 * Reads a record's meta; undefined if it is not a known format.
 *
 * @throws NewerFormat
 */
export const openRecord = (record: LogRecord): DeliveryRecord | undefined => {
  const meta = readStreamFacts(record.meta)
  if (meta === undefined) return undefined
  let parsed: { events: readonly Recorded[] | undefined } | undefined
  const values = new Map<number, PipelineEvent | undefined>()
  const { partition, offset, time, body } = record
  const events = (): readonly Recorded[] | undefined => {
    parsed ??= { events: holdsRows(meta) ? parseRows(body, meta.count) : parseBody(body, meta.count) }
    return parsed.events
  }
  return {
    reference: { partition, offset, time, bytes: body.byteLength, lane: laneOf(meta), meta },
    events,
    values: (index) => {
      if (!values.has(index)) values.set(index, parseEvent(events()?.[index]?.json ?? ''))
      return values.get(index)
    },
  }
}

/** A record in flight; `open` is the number of holds on it. */
export type OpenOffset = { readonly offset: number; open: number }

/**
 * The records in flight of one partition (or range). Records begin in ascending order and end in any order. `low` is
 * the offset of the lowest record that has not ended. Records before it are no longer needed.
 */
export type OffsetTracker = {
  /** Begins a record with one hold. */
  begin(offset: number): OpenOffset
  /** Releases one hold; the last release ends the record. */
  release(entry: OpenOffset): void
  /** Returns the offset of the lowest record in flight; undefined if there is none. */
  low(): number | undefined
  size(): number
}

/** Creates an empty tracker. */
export const createOffsetTracker = (): OffsetTracker => {
  let entries: OpenOffset[] = []
  let head = 0
  return {
    begin: (offset) => {
      const entry = { offset, open: 1 }
      entries.push(entry)
      return entry
    },
    release: (entry) => {
      entry.open--
      while (head < entries.length && entries[head]?.open === 0) head++
      if (head < 1024 || head * 2 < entries.length) return
      entries = entries.slice(head)
      head = 0
    },
    low: () => entries[head]?.offset,
    size: () => entries.length - head,
  }
}

/** An object that ends when its last hold is released, such as a record in flight. */
export type Held = {
  /** Number of holds: one for each part that is not durable yet. */
  open: number
  /** Called once, when the last hold is released. */
  readonly finish: () => void
}

/** Releases holds. */
export const release = (held: Held, holds = 1): void => {
  held.open -= holds
  if (held.open === 0) held.finish()
}
