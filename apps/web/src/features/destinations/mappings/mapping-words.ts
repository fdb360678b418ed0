import type { DestinationAction, EventMapping } from '@tributary/contract'
import { filterWords } from '../../../lib/events/condition-words.ts'
import { pluralise } from '../../../lib/format/text.ts'

/** The events of a mapping, in a few words. */
export const mappingTitle = ({ event_name }: Pick<EventMapping, 'event_name'>): string =>
  event_name === '' ? 'Any event' : event_name

/** The conditions of a mapping as text; '' for none. */
export const mappingFilter = ({ filters, filter_match }: EventMapping): string =>
  filterWords({ match: filter_match, conditions: filters })

/** The payload of a mapping: the whole event, or the number of fields. */
export const mappingContent = ({ field_mappings }: EventMapping, action: DestinationAction | undefined): string => {
  if (field_mappings.length === 0) return action?.whole_event === true ? 'Whole event' : 'No fields yet'
  const on = field_mappings.filter(({ enabled }) => enabled).length
  return `${on} ${pluralise(on, 'field')}`
}
