import type { EventOutcome } from '../definition/definition.ts'
import { ConfigurationError } from '../errors.ts'
import { failedOutcome } from './failed-outcome.ts'

/**
 * Number of groups in a row that wait for a user after which the others of the batch wait, too. So a cause that all
 * groups share, such as an account without access, costs few requests. Our own choice.
 */
const maxHeldInRow = 20

/** Marks events that wait for a user while others of the batch were delivered: the destination works. */
export const waitingAlone = <Outcome extends EventOutcome | undefined>(outcomes: readonly Outcome[]): Outcome[] =>
  outcomes.some((each) => each?.kind === 'delivered')
    ? outcomes.map((each) =>
        each?.kind === 'retry' && each.misconfigured === true ? { ...each, ofEvent: true } : each,
      )
    : [...outcomes]

type Waiting = Extract<EventOutcome, { kind: 'retry' }>

const waits = (outcome: EventOutcome): outcome is Waiting => outcome.kind === 'retry' && outcome.misconfigured === true

/**
 * Creates the record of the groups of a batch that wait for a user. Groups with the same key keep their order, so after
 * one that waits, the others wait, too.
 */
export const createHeldGroups = <Key = unknown>() => {
  const held = new Map<Key, EventOutcome>()
  let first: ConfigurationError | undefined
  let last: Waiting | undefined
  let inRow = 0
  let isAnySent = false
  const wait = (key: Key, outcome: Waiting): void => {
    last = outcome
    inRow++
    held.set(key, outcome)
  }
  /** The outcome of groups behind many that wait. Their own set-up may be right. */
  const ofOthers = (): EventOutcome | undefined =>
    last && { ...last, reason: `Not sent, because ${maxHeldInRow} before it wait: ${last.reason}` }
  return {
    /** Returns the outcome of a group that must not be sent; undefined for one to send. */
    heldOutcome: (key: Key): EventOutcome | undefined =>
      held.get(key) ?? (inRow >= maxHeldInRow ? ofOthers() : undefined),
    /** Notes the answer to a request of a group. With an outcome that waits for a user, further ones of the key wait. */
    answered: (key: Key, outcome: EventOutcome): void => {
      isAnySent = true
      if (waits(outcome)) wait(key, outcome)
      else inRow = 0
    },
    /** Returns the outcome of a group whose set-up is wrong. Rethrows another error. */
    hold: (key: Key, error: unknown): EventOutcome => {
      if (!(error instanceof ConfigurationError)) throw error
      const outcome = failedOutcome(error)
      first ??= error
      if (waits(outcome)) wait(key, outcome)
      return outcome
    },
    /** Returns the outcomes of the batch. Throws the first error if no request was answered, or if all events wait. */
    settled: (outcomes: readonly EventOutcome[]): EventOutcome[] => {
      if (first !== undefined && (!isAnySent || outcomes.every(waits))) throw first
      return waitingAlone(outcomes)
    },
  }
}
