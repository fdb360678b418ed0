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

const waits = (outcome: EventOutcome): boolean => outcome.kind === 'retry' && outcome.misconfigured === true

/**
 * Creates the record of the groups of a batch that wait for a user. Groups with the same key keep their order, so after
 * one that waits, the others wait, too.
 */
export const createHeldGroups = <Key = unknown>() => {
  const held = new Map<Key, EventOutcome>()
  let first: ConfigurationError | undefined
  let last: EventOutcome | undefined
  let inRow = 0
  let isAnySent = false
  return {
    /** Returns the outcome of a group that must not be sent; undefined for one to send. */
    heldOutcome: (key: Key): EventOutcome | undefined => held.get(key) ?? (inRow >= maxHeldInRow ? last : undefined),
    /** Notes a group whose request was answered. */
    sent: (): void => {
      inRow = 0
      isAnySent = true
    },
    /** Returns the outcome of a group whose set-up is wrong. Rethrows another error. */
    hold: (key: Key, error: unknown): EventOutcome => {
      if (!(error instanceof ConfigurationError)) throw error
      const outcome = failedOutcome(error)
      first ??= error
      last = outcome
      inRow++
      held.set(key, outcome)
      return outcome
    },
    /** Returns the outcomes of the batch. Throws the first error if no group was sent, or if all events wait for a user. */
    settled: (outcomes: readonly EventOutcome[]): EventOutcome[] => {
      if (first !== undefined && (!isAnySent || outcomes.every(waits))) throw first
      return waitingAlone(outcomes)
    },
  }
}
