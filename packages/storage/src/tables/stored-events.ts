// Every statement that writes `events`, `dropped_events` and `deliveries` of the event store. The pipeline stores
// events, and delivery stores its log. Billing and the API add rows, and erasure changes events and deliveries.
import type { BinaryRows, EventStore, InsertOptions, NdjsonRows } from '../event-store/port.ts'

type Store = Pick<EventStore, 'insert'>
type Rows = NdjsonRows | BinaryRows

/** Stores events, as `EventStore.insert` does. */
export const insertEvents = (store: Store, rows: Rows, options: InsertOptions): Promise<void> =>
  store.insert('events', rows, options)

/** Stores counts of events that were left out, as `EventStore.insert` does. */
export const insertDroppedEvents = (store: Store, rows: Rows, options: InsertOptions): Promise<void> =>
  store.insert('dropped_events', rows, options)

/** Stores rows of the delivery log, as `EventStore.insert` does. */
export const insertDeliveries = (store: Store, rows: Rows, options: InsertOptions): Promise<void> =>
  store.insert('deliveries', rows, options)

/**
 * The two conditions of a removal, as SQL text: `own` selects the rows of one owner, and `marked` those of them to
 * remove.
 */
export type MarkedRows = { own: string; marked: string }

/** Returns the statement that removes marked events; it can be repeated. */
export const eventRemoval = ({ own, marked }: MarkedRows): string =>
  `alter table events delete where ${own} and ${marked}`

/** Returns the statements that remove marked rows of the delivery log, in their order; each can be repeated. */
export const deliveryRemovals = ({ own, marked }: MarkedRows): string[] => [
  // The events of a batch have the same request and response, so these are cleared in all rows of the batch.
  `alter table deliveries update request = '', response = '' where ${own} and (request != '' or response != '')
      and (workspace_id, destination_id, time) in
        (select workspace_id, destination_id, time from deliveries where ${own} and ${marked})`,
  `alter table deliveries delete where ${own} and ${marked}`,
]

/** Clears personal data in the rows that notified destinations of a deletion request. */
export const clearDeletionDeliveries = (
  store: Pick<EventStore, 'command'>,
  ids: { workspace: string; request: string },
): Promise<void> =>
  store.command(
    `alter table deliveries update key = '', request = '', response = ''
     where workspace_id = {workspace:String} and producer = 'privacy' and source_id = {request:String}`,
    ids,
  )
