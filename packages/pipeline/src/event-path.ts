import { hash } from 'node:crypto'
import { trackingLimits as limits, type ValidationResult, validateValues } from '@tributary/contract'
import { isJsonObject } from '@tributary/kernel'
import type { ConsumerJournal, SeenId } from '@tributary/storage'
import {
  type AcceptedStatus,
  type Drop,
  drop,
  type NormalEvent,
  type ParsedEvent,
  type RawEvent,
  type Reject,
  type Request,
  reject,
  type SchemaInForce,
} from './event-types.ts'
import { normalize } from './steps/normalize.ts'

/** The facts of an event that deduplication needs. */
export type Identified = {
  readonly sourceId: string
  /**
   * The message ID. For a replayed event, the ID of the stored event that it stands for, or a name for the event that
   * was set aside.
   */
  readonly id: string
  /** Whether the event was rejected. A rejected event does not block its corrected successor with the same ID. */
  readonly rejected: boolean
  /** Whether the event is replayed. The IDs of stored events are separate from the IDs that clients choose. */
  readonly replayed: boolean
  readonly partition: number
  readonly offset: number
  readonly index: number
}

/** The message IDs of one consumer: those of the journal, and those that are not in a journaled range yet. */
export type SeenIds = {
  /**
   * Returns undefined for an event with a new ID, which then waits to be journaled; a drop for a known ID. The first
   * log position wins. An event that is read again at its own position is not a duplicate of itself.
   */
  check(event: Identified): Drop | undefined
  /** Takes the waiting IDs, in the order of their events. They count as seen until `flushed` is called. */
  take(): readonly SeenId[]
  /** Drops the taken IDs, after the journal has them. */
  flushed(): void
  /** Removes the IDs of one record from those that wait to be journaled. */
  withdraw(record: { readonly partition: number; readonly offset: number }): void
}

const duplicate = drop('duplicate')
const duplicateRejected = drop('duplicate_rejected')

/** Deduplicates on (source, message ID) by 128 bits of SHA-256, over the journal's window and uncommitted events. */
export const createSeenIds = (journal: Pick<ConsumerJournal, 'firstSeen'>): SeenIds => {
  let keys = new Set<string>()
  /** IDs that are being written to the journal. */
  let taken = new Set<string>()
  let ids: SeenId[] = []
  return {
    check(event) {
      const key = hash(
        'sha256',
        `${event.replayed ? 'replayed' : event.rejected ? 'rejected' : 'accepted'}\n${event.sourceId}\n${event.id}`,
        'binary',
      ).slice(0, 16)
      if (keys.has(key) || (taken.size > 0 && taken.has(key))) return event.rejected ? duplicateRejected : duplicate
      const bytes = Buffer.from(key, 'latin1')
      const first = journal.firstSeen(bytes)
      if (first !== undefined) {
        const itself =
          first.partition === event.partition && first.offset === event.offset && first.index === event.index
        if (!itself) return event.rejected ? duplicateRejected : duplicate
      }
      keys.add(key)
      const { partition, offset, index } = event
      // The event store has the message ID of a replayed event, but not the ID of the stored event.
      if (event.replayed) ids.push({ hash: bytes, partition, offset, index, unstored: true })
      else ids.push({ hash: bytes, partition, offset, index })
      return undefined
    },
    take() {
      const waiting = ids
      if (taken.size === 0) [taken, keys] = [keys, taken]
      else {
        for (const key of keys) taken.add(key)
        keys.clear()
      }
      ids = []
      return waiting
    },
    flushed: () => taken.clear(),
    withdraw({ partition, offset }) {
      ids = ids.filter((id) => id.partition !== partition || id.offset !== offset)
    },
  }
}

/**
 * Returns the status that an event got when its record was processed earlier, by the event's ID; undefined if it was
 * not processed.
 */
export type Decided = (eventId: string) => AcceptedStatus | undefined

/** The context in which the events of one record are checked. */
export type PathScope = {
  /** The schema of the source; undefined if the source has none. */
  readonly schemaInForce: SchemaInForce | undefined
  readonly decided: Decided | undefined
}

/** The outcome of an event's path: stored as accepted, blocked, or held; kept as rejected; or discarded and counted. */
export type PathEnd =
  | {
      readonly kind: 'stored'
      readonly event: NormalEvent
      readonly status: AcceptedStatus
      /** The result of validation by the schema; undefined if the source has no schema. */
      readonly validation: ValidationResult | undefined
    }
  /** `event` is the part of the event that could be read. */
  | { readonly kind: 'rejected'; readonly event: NormalEvent | undefined; readonly why: Reject }
  | Drop

export type EventPath = {
  /** Takes one event of a split request through all steps. Never throws. */
  take(raw: RawEvent, scope: PathScope): PathEnd
  /** Takes the message IDs that are not in a journaled range yet. They still count as seen. */
  takeIds(): readonly SeenId[]
  /** Drops the taken IDs, after they were journaled. */
  idsFlushed(): void
  /**
   * Removes the message IDs of a record from those that wait for the journal. Call it for a record that will be in no
   * range.
   */
  withdrawIds(record: { readonly partition: number; readonly offset: number }): void
}

/**
 * Returns the rejection of a batch whose shared values are too large; undefined for other batches. The shared values
 * are stored with each event, so 4 MB could become gigabytes.
 */
const sharesTooMuch = ({ sharedBytes, events }: Request): Reject | undefined => {
  if (sharedBytes === 0) return undefined
  if (sharedBytes > limits.eventBytes)
    return reject(
      'too_large',
      `A batch's context and integrations can have at most ${limits.eventBytes} bytes; these have ${sharedBytes}.`,
    )
  const stored = sharedBytes * Math.min(events, limits.batchEvents)
  if (stored <= limits.sharedBytes) return undefined
  return reject(
    'too_large',
    `A batch's context and integrations are stored with each event and can total at most ${limits.sharedBytes} bytes; these total ${stored}. Send smaller batches.`,
  )
}

const tooMany = reject(
  'over_batch_limit',
  `A batch can have at most ${limits.batchEvents} events; this event exceeds the limit.`,
)
const tooDeep = reject('too_deep', `An event can be nested at most ${limits.jsonDepth} levels deep.`)

/**
 * Returns the rejection of an event that exceeds a limit of tracking, before anything is parsed. A replayed event is
 * not checked again: it also has the shared values of its batch by now, and may be larger than when it was received.
 */
const overLimits = ({ request, index, bytes, depth }: RawEvent): Reject | undefined => {
  if (request.meta.storedIds !== undefined) return undefined
  if (index >= limits.batchEvents) return tooMany
  const shares = sharesTooMuch(request)
  if (shares !== undefined) return shares
  if (bytes > limits.eventBytes)
    return reject('too_large', `An event can have at most ${limits.eventBytes} bytes; this one has ${bytes}.`)
  return depth > limits.jsonDepth ? tooDeep : undefined
}

const malformed = reject('malformed_json', 'The event is not valid JSON.')
const notAnObject = reject('not_an_object', 'An event must be a JSON object.')

/**
 * Parses the text of one event, except for a context whose text can be used unchanged. Both the row and the delivery
 * need the context as text, and in most events it is the largest part. The request was checked to be valid JSON when it
 * was accepted.
 */
const parseJson = (raw: RawEvent): ParsedEvent | Reject => {
  const { original } = raw
  const span = raw.lossy ? undefined : raw.context
  const context = span === undefined ? undefined : original.slice(span.from, span.to)
  const text = span === undefined ? original : `${original.slice(0, span.from)}null${original.slice(span.to)}`
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return malformed
  }
  return isJsonObject(body) ? { raw, body, context } : notAnObject
}

const unknownType = reject('unknown_type', 'The type must be track, page, screen, identify, group, or alias.')
const noIds = reject('missing_ids', 'An event needs a userId or an anonymousId.')
const noName = reject('missing_event_name', 'A track event needs its name in event.')
const noGroup = reject('missing_group_id', 'A group event needs a groupId.')
const noUser = reject('missing_ids', 'An alias event needs the new userId.')
const noPrevious = reject('missing_previous_id', 'An alias event needs the previousId.')

/**
 * Returns the rejection of an event that lacks a required part of its type: a known type, the user, or the action.
 * Source: Segment spec, common fields and the pages of the six calls.
 */
const envelopeProblem = (event: NormalEvent): Reject | undefined => {
  if (event.problem !== undefined) return event.problem
  if (event.type === '') return unknownType
  if (event.type === 'alias') {
    if (event.userId === '') return noUser
    return event.previousId === '' ? noPrevious : undefined
  }
  if (event.userId === '' && event.anonymousId === '') return noIds
  if (event.type === 'track' && event.event === '') return noName
  return event.type === 'group' && event.groupId === '' ? noGroup : undefined
}

const fault = reject('malformed_json', 'The event could not be processed.')

/**
 * Validates an event by the schema of its source. Unlike the other steps, the result may differ when a record is read
 * again, since the schema may have changed.
 */
const validate = (event: NormalEvent, { schemaInForce, decided }: PathScope): PathEnd => {
  const validation =
    schemaInForce === undefined
      ? undefined
      : validateValues(schemaInForce.schema, event.type, event.event, event.validated)
  const fits = validation === undefined || validation.compatibility === 'compatible'
  // A replay has validated the event by the newest schema, which this process may not have yet.
  const { storedIds, isUndelivered } = event.raw.request.meta
  const goesOn = fits || schemaInForce?.enforcement !== 'block' || storedIds !== undefined
  // A replayed event was held or blocked before, and is not held again. An undelivered event is not held, because a
  // replay would send it to all destinations.
  const held = schemaInForce?.held === true && storedIds === undefined && !isUndelivered
  const status = decided?.(event.raw.eventId) ?? (!goesOn ? 'blocked' : held ? 'held' : 'accepted')
  return { kind: 'stored', event, status, validation }
}

/**
 * The path of every event after the split of its request, defined only here:
 *
 *     limits ▶ parse ▶ normalize ▶ envelope ▶ deduplicate ▶ schema
 *
 * After it, events over the limits of a plan are held. The first four steps are pure functions of the event.
 * Deduplication has state. It also runs for rejected events, so that a repeated request adds no second rejected row.
 * The schema may have changed when a record is read again; an event that was decided before keeps its status.
 */
export const createEventPath = (journal: Pick<ConsumerJournal, 'firstSeen'>): EventPath => {
  const shape = normalize()
  const seen = createSeenIds(journal)

  const deduplicate = (event: NormalEvent | undefined, rejected: boolean): Drop | undefined => {
    if (event === undefined) return undefined
    const { partition, offset, index, request } = event.raw
    const { storedIds: stored, takenBackAs: takenBack } = request.meta
    const again =
      stored?.[index] ?? (event.ownMessageId || takenBack === undefined ? undefined : `${takenBack}-${index}`)
    if (again === undefined && !event.ownMessageId) return undefined
    const id = again ?? event.messageId
    const replayed = again !== undefined
    return seen.check({ sourceId: request.meta.sourceId, id, rejected, replayed, partition, offset, index })
  }

  return {
    take(raw, scope) {
      let event: NormalEvent | undefined
      let why: Reject | undefined
      try {
        const parsed = overLimits(raw) ?? parseJson(raw)
        if ('kind' in parsed) why = parsed
        else {
          event = shape(parsed)
          why = envelopeProblem(event)
        }
      } catch {
        event = undefined
        why = fault
      }
      const duplicate = deduplicate(event, why !== undefined)
      if (duplicate !== undefined) return duplicate
      if (why !== undefined || event === undefined) return { kind: 'rejected', event, why: why ?? fault }
      return validate(event, scope)
    },
    takeIds: seen.take,
    idsFlushed: seen.flushed,
    withdrawIds: seen.withdraw,
  }
}
