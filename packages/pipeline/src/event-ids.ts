const indexes = Array.from({ length: 10_000 }, (_, index) => String(index).padStart(4, '0'))

/** The beginning of the ids of a record's events: their place in the log, padded so that texts sort as places do. */
export const recordPlace = (partition: number, offset: number): string =>
  `${partition}-${String(offset).padStart(10, '0')}-`

/** The id of the event at an index of a record. The same event gets the same id whenever its record is read. */
export const eventIdAt = (place: string, index: number): string => place + (indexes[index] ?? index)

/** The record that an event's id names; undefined for no such id. */
export const placeOfEvent = (eventId: string): { partition: number; offset: number } | undefined => {
  const [partition, offset, index] = eventId.split('-')
  if (partition === undefined || offset === undefined || index === undefined) return undefined
  return { partition: Number(partition), offset: Number(offset) }
}
