import { compileFilter, type PipelineEvent } from '@tributary/contract'
import type { StoredDefinition } from '../read.ts'

/** Decides whether an event is a conversion of a signal, a refund of one, or neither. */
export type Matcher = (event: PipelineEvent) => 'event' | 'refund' | undefined

/** Compiles the events and filters of a signal once. The signal of an audience matches no event. */
export const compileMatcher = ({ trigger, refunds }: StoredDefinition): Matcher => {
  if (trigger.type !== 'events') return () => undefined
  const fits = (event: PipelineEvent, events: typeof trigger.events): boolean =>
    events.some(
      ({ event_type, event_name }) => event.type === event_type && (event_name === '' || event.event === event_name),
    )
  const meets = compileFilter({ match: trigger.filter_match, conditions: trigger.filters })
  return (event) => {
    if (refunds !== null && fits(event, refunds.events)) return 'refund'
    return fits(event, trigger.events) && meets(event) ? 'event' : undefined
  }
}
