import type { EventProfile } from '@tributary/connector-kit'
import { compileFilter, neededOfConditions, type PipelineEvent } from '@tributary/contract'
import type { StoredDefinition } from '../read.ts'

/**
 * Decides whether an event is a conversion of a signal, a refund of one, or neither. Conditions that may depend on the
 * profile are left to `meets`.
 */
export type Matcher = ((event: PipelineEvent) => 'event' | 'refund' | undefined) & {
  /** The values of the profile that the conditions use. Empty if they use none. */
  readonly needs: readonly string[]
  /** Whether an event of the signal meets the conditions with these values of the profile. */
  meets(event: PipelineEvent, profile: EventProfile): boolean
}

/** Compiles the events and filters of a signal. The signal of an audience matches no event. */
const compileMatcher = ({ trigger, refunds }: Pick<StoredDefinition, 'trigger' | 'refunds'>): Matcher => {
  if (trigger.type !== 'events') return Object.assign(() => undefined, { needs: [], meets: () => true })
  const fits = (event: PipelineEvent, events: typeof trigger.events): boolean =>
    events.some(
      ({ event_type, event_name }) => event.type === event_type && (event_name === '' || event.event === event_name),
    )
  const { filters, filter_match: match } = trigger
  const needs = [...new Set(neededOfConditions(filters))]
  const ofEvent = filters.filter((each) => neededOfConditions([each]).length === 0)
  const all = compileFilter({ match, conditions: filters })
  const may = compileFilter({ match, conditions: needs.length > 0 && match === 'any' ? [] : ofEvent })
  const matches = (event: PipelineEvent): 'event' | 'refund' | undefined => {
    if (refunds !== null && fits(event, refunds.events)) return 'refund'
    return fits(event, trigger.events) && may(event) ? 'event' : undefined
  }
  return Object.assign(matches, {
    needs,
    meets: (event: PipelineEvent, { json }: EventProfile) =>
      needs.length === 0 || all({ ...event, profile: JSON.parse(json) as unknown }),
  })
}

const compiled = new WeakMap<object, Matcher>()

/** Returns the matcher of a definition, which is compiled once. */
export const matcherOf = (definition: StoredDefinition): Matcher => {
  const known = compiled.get(definition) ?? compileMatcher(definition)
  compiled.set(definition, known)
  return known
}
