import type { ValidationResult } from '@tributary/contract'
import type { ConsumerJournal, SeenId } from '@tributary/storage'
import type { AcceptedStatus, NormalEvent, ParsedEvent, RawEvent, SchemaInForce } from './event-types.ts'
import { type Drop, type Outcome, type Reject, reject, type Step } from './outcome.ts'
import { checkEnvelope } from './steps/check-envelope.ts'
import { createSeenIds } from './steps/deduplicate.ts'
import { normalise } from './steps/normalise.ts'
import { parseJson } from './steps/parse-json.ts'
import { validateBySchema } from './steps/validate-by-schema.ts'
import { withinLimits } from './steps/within-limits.ts'

/** The outcome of the steps for an event, and the part of the event that could be read. */
type StepsResult = {
  readonly event: NormalEvent | undefined
  readonly outcome: Outcome<NormalEvent | ParsedEvent | RawEvent>
}

/**
 * Runs steps one after the other until one discards or rejects the event. Allocates no promises or lists, since it runs
 * for every event of every tenant.
 */
const sequence =
  (
    limits: Step<RawEvent, RawEvent>,
    parse: Step<RawEvent, ParsedEvent>,
    shape: Step<ParsedEvent, NormalEvent>,
    ...rules: readonly Step<NormalEvent, NormalEvent>[]
  ): ((raw: RawEvent) => StepsResult) =>
  (raw) => {
    const limited = limits(raw)
    if (limited.kind !== 'ok') return { event: undefined, outcome: limited }
    const parsed = parse(limited.event)
    if (parsed.kind !== 'ok') return { event: undefined, outcome: parsed }
    let outcome = shape(parsed.event)
    if (outcome.kind !== 'ok') return { event: undefined, outcome }
    let { event } = outcome
    for (const rule of rules) {
      outcome = rule(event)
      if (outcome.kind !== 'ok') return { event, outcome }
      event = outcome.event
    }
    return { event, outcome }
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
      /** Undefined if there is no schema. */
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
  /** Removes the IDs of a record that will be in no range from the waiting ones. */
  withdrawIds(record: { readonly partition: number; readonly offset: number }): void
}

const fault = reject('malformed_json', 'The event could not be processed.')

const validate = (event: NormalEvent, { schemaInForce, decided }: PathScope): PathEnd => {
  const validation = schemaInForce === undefined ? undefined : validateBySchema(event, schemaInForce.schema)
  const fits = validation === undefined || validation.compatibility === 'compatible'
  // A replay has validated the event by the newest schema, which this process may not have yet.
  const { storedIds, isUndelivered } = event.raw.request.meta
  const goesOn = fits || schemaInForce?.enforcement !== 'block' || storedIds !== undefined
  // A replayed event was held or blocked before. An undelivered one would later be sent to all destinations.
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
  const steps = sequence(withinLimits(), parseJson(), normalise(), checkEnvelope())
  const seen = createSeenIds(journal)

  const safely = (raw: RawEvent): StepsResult => {
    try {
      return steps(raw)
    } catch {
      return { event: undefined, outcome: fault }
    }
  }

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
      const { event, outcome } = safely(raw)
      if (outcome.kind === 'drop') return outcome
      const rejected = outcome.kind === 'reject' ? outcome : event === undefined ? fault : undefined
      const duplicate = deduplicate(event, rejected !== undefined)
      if (duplicate !== undefined) return duplicate
      if (rejected !== undefined || event === undefined) return { kind: 'rejected', event, why: rejected ?? fault }
      return validate(event, scope)
    },
    takeIds: seen.take,
    idsFlushed: seen.flushed,
    withdrawIds: seen.withdraw,
  }
}
