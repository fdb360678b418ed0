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
 * The position where a partition of the stream goes on behind the events in the event store, without a gap or an
 * overlap.
 */
export type Cut = {
  /** The offset of the stream. */
  stream: number
  /** Events of requests before it are stored; those from it on are in the stream, at `stream` or behind. */
  requests: RequestPlace
}

/** Where accepted events of before are read. */
export type History = {
  eventStore: Pick<EventStore, 'query'>
  form: StoredForm
  /** None is spread unless given. */
  spreads?: WidestSpreads
  cut(partition: number): Promise<Cut>
}

/**
 * Makes cuts. All records of the stream now come from requests that are in their log now. So once the pipeline has
 * stored these, later records are in the stream behind its current end. The promise of `whenStored` resolves when every
 * request of a partition before the offset is stored and its events are in the stream.
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

/** The note that is kept beside a position. */
const noteSchema = z.object({
  /** Events of requests before it are handled. */
  from: requestPlace.optional(),
  /** The group that the last record belongs to: there may be more of it. */
  group: requestPlace.optional(),
  /** The place that the consumer's own store has, if it keeps any. */
  mark: z.string().optional(),
  /** Events that are read from the event store, before the stream is read on. */
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
const placeWith = (offset: number, note: Note): Place => ({ offset, note: JSON.stringify(note) })

/**
 * Returns how many events of a workspace a consumer has read from the event store, and about how many there are. For a
 * consumer that reads those before it goes on with the stream; undefined when it is through.
 */
export const createReadingProgress =
  (deps: {
    eventStore: Pick<EventStore, 'query'>
    journal: Pick<ConsumerJournal, 'notes'>
    partitions: number
    /** Over how many partitions a workspace was ever spread. */
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

/** Partitions that read the event store at a time: there are dozens, and each asks much of it. */
const catchUpsAtOnce = 2

/** Runs a few tasks at a time, in the order of their calls. */
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
    /** Rejects with the signal's reason when that aborts before the task begins. */
    async run<Value>(signal: AbortSignal, task: () => Promise<Value>): Promise<Value> {
      signal.throwIfAborted()
      if (running < atOnce) running++
      else await turn(signal)
      try {
        return await task()
      } finally {
        // The next one in line takes the place over.
        const next = waiting.shift()
        if (next === undefined) running--
        else next()
      }
    },
  }
}

/** The later of two places: groups of before a cut are met again in the stream. */
const later = (a: RequestPlace | undefined, b: RequestPlace): RequestPlace =>
  a === undefined || isPlaceBefore(a, b) ? b : a

/** A place up to where everything was handled, with the incarnation of the last record before it as far as it is known. */
export type ReachedPlace = Place & Pick<JournalPlace, 'incarnation'>

/**
 * Places that a consumer keeps in the store that it works for, in the transactions of its work. A store that was restored
 * goes back with them, while the journal does not.
 */
export type KeptPlaces = {
  /** The position of a partition in the store now, and its unique mark. */
  read(partition: number): Promise<(ReachedPlace & { mark: string }) | undefined>
  /** The mark of the place that was written last, or read. */
  mark(partition: number): string | undefined
}

/** The name of an event at a consumer, by which it is held if it blocks the consumer's thread: for `noteWork`. */
export const consumerItem = (consumer: string, eventId: string): string => `${consumer} ${eventId}`

export type EventConsumerDeps = Omit<ConsumerDeps, 'handle' | 'begin' | 'reader'> & {
  /** The reader of the stream, whose partitions are those of the log of accepted requests. */
  reader: LogReader
  history: History
  /**
   * Does what accepted events of one partition ask for, and resolves when that is durable. Events of one source come in
   * the order of the log. After a failure or a kill events come again, with the same ids. `reached` is the place behind them.
   */
  handle(events: readonly AcceptedEvent[], partition: number, reached: ReachedPlace): Promise<void>
  /**
   * For a consumer whose `handle` keeps the positions it reached: it goes on from the lesser of the store's and the
   * journal's.
   */
  kept?: KeptPlaces
}

/**
 * Makes a consumer of accepted events. A new one begins with the oldest stored event. One whose records were trimmed
 * before it read them reads these from the event store. Both then go on with the stream where that ends, without a gap.
 * No event is repeated, but for those of the one group that it may have stopped in.
 */
export const createEventConsumer = (deps: EventConsumerDeps): Consumer => {
  const { reader, journal, history, kept, logger, name } = deps
  /** Skips events that are held, since they blocked the thread of this consumer. */
  const handle: EventConsumerDeps['handle'] = (events, partition, reached) => {
    if (!isAnyWorkHeld()) return deps.handle(events, partition, reached)
    const open = events.filter(({ eventId }) => !isHeldWork(consumerItem(name, eventId)))
    if (open.length < events.length)
      logger.error(
        { consumer: name, partition, events: events.length - open.length },
        'events that are held are passed over',
      )
    return open.length === 0 ? Promise.resolve() : deps.handle(open, partition, reached)
  }
  const turns = createTurns(catchUpsAtOnce)

  /** Records on their way to the handler: those before the note's position were handled already. */
  const handleRecords = async (records: readonly LogRecord[], text: string, atEnd: boolean): Promise<string> => {
    const note = noteOf(text)
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
      // Those of a record are in the order of the log: where the first one is new, all are.
      const isNew = (event: AcceptedEvent): boolean =>
        from === undefined || !isPlaceBefore(requestPlaceOf(event.eventId), from)
      const begin = accepted.events.findIndex(isNew)
      if (begin >= 0) for (const event of accepted.events.slice(begin)) events.push(event)
    }
    if (atEnd && note.group !== undefined) note.from = later(note.from, note.group)
    const last = records.at(-1)
    if (last === undefined) return text
    const { partition, offset, incarnation } = last
    if (events.length > 0) await handle(events, partition, { ...placeWith(offset + 1, note), incarnation })
    return JSON.stringify(marked(partition, note))
  }

  const marked = (partition: number, note: Note): Note => ({ ...note, mark: kept?.mark(partition) })

  /**
   * The position to go on from when the journal is at a given one: that one, unless the store has another mark. Then
   * the lesser of both, as far as the log is still the one of the store's position; undefined when the store has none
   * any more.
   */
  const agreed = async (partition: number, place: Place | undefined, start: number): Promise<Place | undefined> => {
    if (kept === undefined) return place
    const stored = await kept.read(partition)
    if (place === undefined || stored?.mark === noteOf(place.note).mark) return place
    const end = (await reader.ends())[partition] ?? 0
    const back = stored && placeToRewindTo(stored, { ranges: await reader.incarnations(partition), start, end })
    const { offset, incarnation } = back ?? stored ?? { offset: 0, incarnation: undefined }
    // With equal offsets, while it catches up, the store's position counts.
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
   * Reads from the event store the events between a position and a cut, a new one or the one that it is on its way to;
   * resolves to that.
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
      let place = await agreed(partition, known, start)
      for (let held = start; ; held = (await reader.starts())[partition] ?? 0) {
        if (place !== undefined && noteOf(place.note).catchUp === undefined && place.offset >= held) return place
        place = await catchUpFrom(partition, place, { keep, signal })
      }
    },
  })
}
