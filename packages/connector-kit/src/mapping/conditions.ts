import { compileFilter, type EventConditions, neededOfConditions } from '@tributary/contract'
import type { EventInHand } from './sources.ts'

/** Compiled conditions on an event and on the profile of its user. */
export type Conditions = {
  meets(of: EventInHand): boolean
  /** Whether they compare values of the profile. */
  readonly usesProfile: boolean
}

/**
 * Compiles the conditions of a mapping or of a field. A value that the profile does not have is like an absent field of
 * the event. `meets` throws TooMuchWork if the budget of the event is used up.
 */
export const compileConditions = (filter: EventConditions): Conditions => {
  const meets = compileFilter(filter)
  const usesProfile = neededOfConditions(filter.conditions).length > 0
  return {
    usesProfile,
    meets: (of) => meets(usesProfile ? of.withProfile() : of.event, of.spend),
  }
}
