import type { Db } from '@tributary/api-kit'
import { eventBudget, spending, TooMuchWork } from '@tributary/connector-kit'
import { compileFilter, type EventConditions, eventFilter } from '@tributary/contract'

/** A source whose events a destination is offered, with what its connection lets through. */
export type ConnectedSource = { id: string; lets: (event: unknown) => boolean }

/** A filter with the work that deliveries have for one event; what would fail there is not let through here. */
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

/** The sources that a destination is connected with, paused connections included. */
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
