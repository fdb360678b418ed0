import type { Db } from '@tributary/api-kit'
import { eventBudget, spending, TooMuchWork } from '@tributary/connector-kit'
import { compileFilter, type EventConditions, eventFilter } from '@tributary/contract'

/**
 * A source that is connected to a destination. The function `lets` is true for events that the filter of the connection
 * accepts.
 */
export type ConnectedSource = { id: string; lets: (event: unknown) => boolean }

/**
 * Compiles a filter with the limit on work that deliveries have for one event. An event that exceeds the limit is not
 * accepted.
 */
const letsThrough = (filter: EventConditions): ((event: unknown) => boolean) => {
  const meets = compileFilter(filter)
  return (event) => {
    try {
      return meets(event, spending({ work: eventBudget.work }))
    } catch (error) {
      if (error instanceof TooMuchWork) return false
      throw error
    }
  }
}

/** Reads the sources that are connected to a destination, including those of paused connections. */
export const connectedSources = async (db: Db, destinationId: string): Promise<ConnectedSource[]> => {
  const rows = await db
    .selectFrom('connections')
    .innerJoin('sources', 'sources.id', 'connections.source_id')
    .select(['connections.source_id', 'connections.filter'])
    .where('connections.destination_id', '=', destinationId)
    .where('sources.delete_time', 'is', null)
    .orderBy('connections.id')
    .execute()
  return rows.map(({ source_id, filter }) => ({ id: source_id, lets: letsThrough(eventFilter.parse(filter)) }))
}
