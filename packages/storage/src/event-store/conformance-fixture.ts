import { type EventStore, type QueryOptions } from './port.ts'

/** A store whose queries name an owner only if a test needs it. */
export type OwnEventStore = Omit<EventStore, 'query'> & {
  query<Row>(sql: string, params?: Record<string, unknown>, options?: Partial<QueryOptions>): Promise<Row[]>
}

/** A migrated database without other users. */
export type EventStoreFixture = OwnEventStore & AsyncDisposable

/** A time of events, in the form of the event store. */
export const time = '2026-11-21 06:00:00.123'

/** The row of an event as JSON. */
export const event = (id: string, more: Record<string, unknown> = {}): string =>
  JSON.stringify({ workspace_id: 'w', source_id: 's', event_id: id, receive_time: time, timestamp: time, ...more })

/** Resolves to the number of events in the store. */
export const countEvents = async (store: OwnEventStore): Promise<number> => {
  const [row] = await store.query<{ n: number }>('select count() as n from events')
  return row?.n ?? -1
}
