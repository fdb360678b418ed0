import type { EventSummary } from '@tributary/contract'

/** The time column of a list of events: its title, and its value for an event. */
export type ListedTime = {
  header: string
  timeOf(event: Pick<EventSummary, 'receive_time' | 'timestamp'>): string
}

const received: ListedTime = { header: 'Received', timeOf: ({ receive_time }) => receive_time }

/** The time at which an event says that it happened, but at the latest the time of receipt. */
const happened: ListedTime = {
  header: 'Happened',
  timeOf: ({ receive_time, timestamp }) =>
    Date.parse(timestamp) < Date.parse(receive_time) ? timestamp : receive_time,
}

/** Returns the time column for a choice: `event_time`, or '' for the time of receipt. */
export const listedTime = (by: string): ListedTime => (by === 'event_time' ? happened : received)
