/**
 * The place of a record in the log of requests. An offset identifies a record only within its incarnation of the log.
 */
export type RecordPlace = { readonly partition: number; readonly offset: number; readonly incarnation: string }

/** The place of an event: a record, and the event's index in it. */
export type EventPlace = RecordPlace & { readonly index: number }

const indexes = Array.from({ length: 10_000 }, (_, index) => String(index).padStart(4, '0'))
const padded = (offset: number): string => String(offset).padStart(10, '0')

/**
 * Returns the event IDs of a record by index: `<partition>-<offset>-<index>-<incarnation>`, padded so that IDs of one
 * request sort in the order of its events. The last part is missing if the incarnation is '', as in logs from before
 * incarnations existed. The same event gets the same ID whenever its record is read; no other event ever gets that ID.
 */
export const eventIdsOf = ({ partition, offset, incarnation }: RecordPlace): ((index: number) => string) => {
  const place = `${partition}-${padded(offset)}-`
  const end = incarnation === '' ? '' : `-${incarnation}`
  return (index) => place + (indexes[index] ?? index) + end
}

const eventId = /^(\d{1,9})-(\d{10,15})-(\d{4,6})(?:-([0-9a-z]{1,32}))?$/

/** Parses an event ID; undefined for any other text. */
export const parseEventId = (text: string): EventPlace | undefined => {
  const [, partition, offset, index, incarnation = ''] = eventId.exec(text) ?? []
  if (partition === undefined) return undefined
  return { partition: Number(partition), offset: Number(offset), index: Number(index), incarnation }
}

const recordPlace = /^(\d{1,9})-(\d{1,15})-([0-9a-z]{0,32})$/

/** Formats a record place: `<partition>-<offset>-<incarnation>`. */
export const formatRecordPlace = ({ partition, offset, incarnation }: RecordPlace): string =>
  `${partition}-${padded(offset)}-${incarnation}`

/** Parses a record place; undefined for any other text. */
export const parseRecordPlace = (text: string): RecordPlace | undefined => {
  const [, partition, offset, incarnation = ''] = recordPlace.exec(text) ?? []
  return partition === undefined ? undefined : { partition: Number(partition), offset: Number(offset), incarnation }
}

/** Formats places of several partitions, separated by commas; '' if there are none. */
export const formatRecordPlaces = (places: readonly RecordPlace[]): string => places.map(formatRecordPlace).join(',')

/** Parses places of several partitions; empty for any other text. */
export const parseRecordPlaces = (text: string): RecordPlace[] => {
  const places = text.split(',').map(parseRecordPlace)
  return places.every((place) => place !== undefined) ? places : []
}

/**
 * Whether place `a` is earlier than place `b` of the same partition. Incarnations are sorted by the time when they
 * began; the empty incarnation is first. Within one incarnation, offsets decide. A log that was lost begins again at
 * low offsets in a later incarnation.
 */
export const isEarlier = (a: RecordPlace, b: RecordPlace): boolean =>
  a.incarnation === b.incarnation ? a.offset < b.offset : a.incarnation < b.incarnation
