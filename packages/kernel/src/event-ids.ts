/** Where a record of the log of requests lies. An offset names one record only within its incarnation of the log. */
export type RecordPlace = { readonly partition: number; readonly offset: number; readonly incarnation: string }

/** Where an event lies: in a record, at an index. */
export type EventPlace = RecordPlace & { readonly index: number }

const indexes = Array.from({ length: 10_000 }, (_, index) => String(index).padStart(4, '0'))
const padded = (offset: number): string => String(offset).padStart(10, '0')

/**
 * The ids of a record's events, by their index: `<partition>-<offset>-<index>-<incarnation>`, padded so that ids of one
 * request sort as its events do. The last part is missing where the incarnation is '', as for logs of before there were
 * any. The same event gets the same id whenever its record is read, and no other event ever gets it.
 */
export const eventIdsOf = ({ partition, offset, incarnation }: RecordPlace): ((index: number) => string) => {
  const place = `${partition}-${padded(offset)}-`
  const end = incarnation === '' ? '' : `-${incarnation}`
  return (index) => place + (indexes[index] ?? index) + end
}

const eventId = /^(\d{1,9})-(\d{10,15})-(\d{4,6})(?:-([0-9a-z]{1,32}))?$/

/** The place that an event's id names; undefined for any other text. */
export const parseEventId = (text: string): EventPlace | undefined => {
  const [, partition, offset, index, incarnation = ''] = eventId.exec(text) ?? []
  if (partition === undefined) return undefined
  return { partition: Number(partition), offset: Number(offset), index: Number(index), incarnation }
}

const recordPlace = /^(\d{1,9})-(\d{1,15})-([0-9a-z]{0,32})$/

/** A place as text: `<partition>-<offset>-<incarnation>`. */
export const formatRecordPlace = ({ partition, offset, incarnation }: RecordPlace): string =>
  `${partition}-${padded(offset)}-${incarnation}`

/** The place that a text names; undefined for any other text. */
export const parseRecordPlace = (text: string): RecordPlace | undefined => {
  const [, partition, offset, incarnation = ''] = recordPlace.exec(text) ?? []
  return partition === undefined ? undefined : { partition: Number(partition), offset: Number(offset), incarnation }
}

/** Places of several partitions as text, one behind the other; '' for none. */
export const formatRecordPlaces = (places: readonly RecordPlace[]): string => places.map(formatRecordPlace).join(',')

/** The places that a text names, of several partitions; none for any other text. */
export const parseRecordPlaces = (text: string): RecordPlace[] => {
  const places = text.split(',').map(parseRecordPlace)
  return places.every((place) => place !== undefined) ? places : []
}

/**
 * True when the first of two places of one partition came earlier. Incarnations sort as they began, the nameless one
 * before all others; within one, offsets decide. A log that was lost begins again at low offsets, and still counts as
 * later.
 */
export const isEarlier = (a: RecordPlace, b: RecordPlace): boolean =>
  a.incarnation === b.incarnation ? a.offset < b.offset : a.incarnation < b.incarnation
