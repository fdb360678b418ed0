import { isAnyWorkHeld, isHeldWork, requireKnownFormat } from '@tributary/kernel'
import { z } from 'zod'
import type { EventStore } from '../event-store/port.ts'
import type { ConsumerJournal, JournalPlace } from '../log/journal-port.ts'
import type { LogReader, LogRecord } from '../log/port.ts'
import { placeToRewindTo } from '../log/reconcile.ts'
import { partitionsOf } from '../log/spread.ts'
import {
  type AcceptedEvent,
  acceptedRecord,
  isPlaceBefore,
  type RequestPlace,
  requestPlaceOf,
} from './accepted-events.ts'
import { countStored, readStored, type StoredForm, type WidestSpreads } from './catch-up.ts'
import { createConsumer } from './consumer.ts'
import type { Beginning, Consumer, ConsumerDeps, Place } from './consumer-port.ts'

/**
 * The position where a partition of the stream continues after the events in the event store, without a gap or an
 * overlap.
 */
export type Cut = {
  /** The offset in the stream. */
  stream: number
  /** Events of earlier requests are stored; later ones are in the stream, at `stream` or after it. */
  requests: RequestPlace
}

/** The source of accepted events from before a consumer began. */
export type History = {
  eventStore: Pick<EventStore, 'query'>
  form: StoredForm
  /** Without it, no workspace is spread. */
  spreads?: WidestSpreads
  cut(partition: number): Promise<Cut>
}

/**
 * Creates cuts. All current records of the stream come from requests that are in their log now. So once the pipeline
 * has stored these, later records are in the stream after its current end. The promise of `whenStored` resolves when
 * every request of a partition before the offset is stored and its events are in the stream.
 */
export const createCut =
  (deps: {
    stream: Pick<LogReader, 'ends'>
    requests: Pick<LogReader, 'ends' | 'read'>
    whenStored(partition: number, offset: number): Promise<void>
  }): History['cut'] =>
  async (partition) => {
    const stream = (await deps.stream.ends())[partition] ?? 0
    const offset = (await deps.requests.ends())[partition] ?? 0
    const [last] = offset === 0 ? [] : await deps.requests.read(partition, offset - 1, 1)
    const incarnation = last !== undefined && 'incarnation' in last ? String(last.incarnation) : ''
    await deps.whenStored(partition, offset)
    return { stream, requests: { incarnation, offset } }
  }

const requestPlace = z.object({ incarnation: z.string(), offset: z.number() })

/** The note that is stored with a position. */
const noteSchema = z.object({
  /** The position of requests before which all events are handled. */
  from: requestPlace.optional(),
  /** The group of the last handled record, if the group may have further records. */
  group: requestPlace.optional(),
  /** The mark of the position in the consumer's own store, if it has one. */
  mark: z.string().optional(),
  /** Events that are read from the event store before reading the stream continues. */
  catchUp: z
    .object({ to: requestPlace, after: z.object({ workspaceId: z.string(), eventId: z.string() }).optional() })
    .optional(),
})
type Note = z.infer<typeof noteSchema>

const noteOf = (text: string | undefined): Note => {
  if (!text) return {}
  const note: unknown = JSON.parse(text)
  requireKnownFormat('What is noted of a consumer', note)
  return noteSchema.parse(note)
}
/** Whether a consumer with this note still reads events from the event store, which come before its position. */
export const isCatchingUp = (note: string | undefined): boolean => noteOf(note).catchUp !== undefined

const placeWith = (offset: number, note: Note): Place => ({ offset, note: JSON.stringify(note) })

/**
 * Creates a function that returns how many events of a workspace a consumer has read from the event store, and about
 * how many there are. It returns undefined once all of them are read and the consumer continues with the stream.
 */
export const createReadingProgress =
  (deps: {
    eventStore: Pick<EventStore, 'query'>
    journal: Pick<ConsumerJournal, 'notes'>
    partitions: number
    /** The maximum number of partitions that a workspace was ever spread over. */
    widestSpread: (workspaceId: string) => Promise<number>
  }): ((workspaceId: string) => Promise<{ read: number; total: number } | undefined>) =>
  async (workspaceId) => {
    const partitions = partitionsOf(workspaceId, await deps.widestSpread(workspaceId), deps.partitions)
    const notes = deps.journal.notes()
    const catchUps = partitions.map((partition) => ({ partition, ...noteOf(notes.get(partition)) }))
    if (catchUps.every(({ catchUp }) => catchUp === undefined)) return undefined
    const counts = await Promise.all(
      catchUps.map(({ partition, catchUp }) =>
        countStored(
          deps.eventStore,
          workspaceId,
          { partition, partitions },
          catchUp === undefined ? 'all' : catchUp.after,
        ),
      ),
    )
    return counts.reduce((sum, each) => ({ read: sum.read + each.read, total: sum.total + each.total }))
  }

/**
 * Maximum number of partitions whose events are read from the event store at the same time. There are dozens of
 * partitions, and each reading is a heavy load.
 */
const catchUpsAtOnce = 2

/** Creates a queue that runs at most `atOnce` tasks at a time, in the order of their calls. */
const createTurns = (atOnce: number) => {
  let running = 0
  let waiting: (() => void)[] = []
  const turn = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const begin = (): void => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = (): void => {
        waiting = waiting.filter((each) => each !== begin)
        reject(signal.reason)
      }
      waiting.push(begin)
      signal.addEventListener('abort', leave, { once: true })
    })
  return {
    /** Rejects with the signal's reason if it aborts before the task begins. */
    async run<Value>(signal: AbortSignal, task: () => Promise<Value>): Promise<Value> {
      signal.throwIfAborted()
      if (running < atOnce) running++
      else await turn(signal)
      try {
        return await task()
      } finally {
        // The next task in the queue takes over the slot.
        const next = waiting.shift()
        if (next === undefined) running--
        else next()
      }
    },
  }
}

/** The later of two positions. Groups from before a cut are read again in the stream. */
const later = (a: RequestPlace | undefined, b: RequestPlace): RequestPlace =>
  a === undefined || isPlaceBefore(a, b) ? b : a

/** A position up to which everything was handled, with the incarnation of the record before it, if known. */
export type ReachedPlace = Place & Pick<JournalPlace, 'incarnation'>

/**
 * Positions that a consumer stores in its own database, in the transactions of its work. A restored database has
 * earlier positions, while the journal does not.
 */
export type KeptPlaces = {
  /** The current position of a partition in the store, and its unique mark. */
  read(partition: number): Promise<(ReachedPlace & { mark: string }) | undefined>
  /** The mark of the position that was last written or read. */
  mark(partition: number): string | undefined
}

/**
 * The work item of an event at a consumer. If the event blocks the consumer's thread, it is held by this name. For
 * `noteWork`.
 */
export const consumerItem = (consumer: string, eventId: string): string => `${consumer} ${eventId}`

export type EventConsumerDeps = Omit<ConsumerDeps, 'handle' | 'begin' | 'reader'> & {
  /** The reader of the stream, whose partitions are those of the log of accepted requests. */
  reader: LogReader
  history: History
  /**
   * Processes accepted events of one partition, and resolves when the result is durable. Events of one source come in
   * the order of the log. After a failure or a kill, events come again with the same IDs. `reached` is the position
   * after them.
   */
  handle(events: readonly AcceptedEvent[], partition: number, reached: ReachedPlace): Promise<void>
  /**
   * For a consumer whose `handle` stores the positions that it reached: it continues from the lower of the store's and
   * the journal's.
   */
  kept?: KeptPlaces
}

/** Skips events that are held because they blocked the thread of this consumer. */
const passingHeld =
  ({ name, logger, handle }: EventConsumerDeps): EventConsumerDeps['handle'] =>
  (events, partition, reached) => {
    if (!isAnyWorkHeld()) return handle(events, partition, reached)
    const open = events.filter(({ eventId }) => !isHeldWork(consumerItem(name, eventId)))
    if (open.length < events.length)
      logger.error(
        { consumer: name, partition, events: events.length - open.length },
        'events that are held are passed over',
      )
    return open.length === 0 ? Promise.resolve() : handle(open, partition, reached)
  }
/**
 * The events of records that come after the note's position. The note moves on with the groups of the records; `atEnd`
 * says whether the last group has no further records.
 */
const newEvents = (records: readonly LogRecord[], note: Note, atEnd: boolean): AcceptedEvent[] => {
  const events: AcceptedEvent[] = []
  for (const record of records) {
    const accepted = acceptedRecord(record)
    const last = accepted?.events.at(-1)
    if (accepted === undefined || last === undefined) continue
    const { incarnation } = requestPlaceOf(last.eventId)
    const group = accepted.through === undefined ? undefined : { incarnation, offset: accepted.through }
    if (note.group !== undefined && group !== undefined && isPlaceBefore(note.group, group))
      note.from = later(note.from, note.group)
    if (group !== undefined) note.group = group
    const { from } = note
    // The events of a record are in the order of the log: if the first one is new, all are.
    const isNew = (event: AcceptedEvent): boolean =>
      from === undefined || !isPlaceBefore(requestPlaceOf(event.eventId), from)
    const begin = accepted.events.findIndex(isNew)
    if (begin >= 0) for (const event of accepted.events.slice(begin)) events.push(event)
  }
  if (atEnd && note.group !== undefined) note.from = later(note.from, note.group)
  return events
}

/**
 * The position to continue from: the journal's position, unless the store has another mark. Then it is the lower of the
 * positions of journal and store, within what the log still has. Undefined if the store no longer has a position.
 */
const agreed = async (
  { kept, reader, journal, logger, name }: EventConsumerDeps,
  partition: number,
  place: Place | undefined,
  start: number,
): Promise<Place | undefined> => {
  if (kept === undefined) return place
  const stored = await kept.read(partition)
  if (place === undefined || stored?.mark === noteOf(place.note).mark) return place
  const end = (await reader.ends())[partition] ?? 0
  const back = stored && placeToRewindTo(stored, { ranges: await reader.incarnations(partition), start, end })
  const { offset, incarnation } = back ?? stored ?? { offset: 0, incarnation: undefined }
  // If the offsets are equal during catching up, the store's position counts.
  if (stored !== undefined && offset > place.offset) return place
  logger.warn(
    { consumer: name, partition, from: place.offset, to: offset },
    'a consumer reads part of the stream again: its store was set back',
  )
  if (stored === undefined) return undefined
  const { note } = placeWith(offset, { ...noteOf(stored.note), mark: stored.mark })
  await journal.commit(new Map([[partition, offset]]), new Map([[partition, note]]))
  await journal.rewind(partition, { offset, incarnation })
  return { offset, note }
}

/**
 * Creates a consumer of accepted events. A new one begins with the oldest stored event. One whose records were trimmed
 * before it read them reads these events from the event store. Both then continue with the stream, without a gap. No
 * event is repeated, except the events of the group in which the consumer may have stopped.
 */
export const createEventConsumer = (deps: EventConsumerDeps): Consumer => {
  const { reader, history, kept } = deps
  const handle = passingHeld(deps)
  const turns = createTurns(catchUpsAtOnce)
  const marked = (partition: number, note: Note): Note => ({ ...note, mark: kept?.mark(partition) })

  /** Passes records to the handler, except those before the note's position, which were already handled. */
  const handleRecords = async (records: readonly LogRecord[], text: string, atEnd: boolean): Promise<string> => {
    const note = noteOf(text)
    const events = newEvents(records, note, atEnd)
    const last = records.at(-1)
    if (last === undefined) return text
    const { partition, offset, incarnation } = last
    if (events.length > 0) await handle(events, partition, { ...placeWith(offset + 1, note), incarnation })
    return JSON.stringify(marked(partition, note))
  }

  /**
   * Reads the events between a position and a cut from the event store: a new cut, or the cut of an unfinished
   * catch-up. Resolves to that cut.
   */
  const catchUpFrom = async (
    partition: number,
    place: Place | undefined,
    { keep, signal }: Pick<Beginning, 'keep' | 'signal'>,
  ): Promise<Place> => {
    let note = noteOf(place?.note)
    let stream = place?.offset ?? 0
    if (note.catchUp === undefined) {
      const cut = await history.cut(partition)
      stream = cut.stream
      note = marked(partition, { ...(note.from && { from: note.from }), catchUp: { to: cut.requests } })
      await keep(placeWith(stream, note))
    }
    const { from, catchUp } = note
    if (catchUp === undefined) throw new Error('There is nothing to catch up with')
    const span = { partition, partitions: reader.partitions, from, to: catchUp.to }
    await turns.run(signal, async () => {
      for await (const events of readStored(history, span, catchUp.after, signal)) {
        signal.throwIfAborted()
        const last = events.at(-1)
        if (last === undefined) continue
        const { workspaceId, eventId } = last
        const reached = { ...note, catchUp: { to: catchUp.to, after: { workspaceId, eventId } } }
        await handle(events, partition, { ...placeWith(stream, reached), incarnation: undefined })
        await keep(placeWith(stream, marked(partition, reached)))
      }
    })
    const caughtUp = placeWith(stream, marked(partition, { from: catchUp.to }))
    await keep(caughtUp)
    return caughtUp
  }

  return createConsumer({
    ...deps,
    handle: handleRecords,
    async begin(partition, { place: known, start, keep, signal }) {
      let place = await agreed(deps, partition, known, start)
      for (let held = start; ; held = (await reader.starts())[partition] ?? 0) {
        if (place !== undefined && noteOf(place.note).catchUp === undefined && place.offset >= held) return place
        place = await catchUpFrom(partition, place, { keep, signal })
      }
    },
  })
}
