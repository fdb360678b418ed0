import type { IncarnationRange } from './incarnations.ts'
import type { ConsumerJournal, JournalPlace } from './journal-port.ts'
import type { LogReader } from './port.ts'

/** What of a partition a log holds. */
type Held = { ranges: readonly IncarnationRange[]; start: number; end: number }

/**
 * The place that a consumer has to go back to, undefined where the log still has what the consumer knows. A known
 * incarnation that ends before: its end. One that nobody has seen: the end of the log at most. One that the log does not know: its records were trimmed where the log begins no
 * earlier than that; else the log is another one, and all of it is new.
 */
export const placeToRewindTo = (
  { offset, incarnation }: JournalPlace,
  { ranges, start, end }: Held,
): JournalPlace | undefined => {
  if (incarnation === undefined) return offset <= end ? undefined : { offset: end, incarnation }
  const at = ranges.findIndex((range) => range.incarnation === incarnation)
  if (at < 0) return offset <= start ? undefined : { offset: start, incarnation: ranges[0]?.incarnation ?? '' }
  const until = ranges[at + 1]?.from ?? end
  return offset <= until ? undefined : { offset: until, incarnation }
}

/**
 * Compares what a consumer knows of a log with the log, and sets it back where the log does not hold that any more: it
 * was restored from a backup, lost or replaced, and gave the same offsets again. Open ranges of a partition are forgotten
 * where the log does not hold all of them as they were begun. To be called before anything is read of
 * these partitions (of all, unless given). Tells which partitions
 * that were: what the consumer has done of their records it has to find out by other means than its positions.
 */
export const reconcile = async (
  journal: Pick<ConsumerJournal, 'places' | 'openEnds' | 'rewind'>,
  reader: Pick<LogReader, 'partitions' | 'incarnations' | 'starts' | 'ends'>,
  only?: readonly number[],
): Promise<Set<number>> => {
  const places = journal.places()
  const openEnds = journal.openEnds()
  const starts = await reader.starts()
  const ends = await reader.ends()
  const rewound = new Set<number>()
  for (const partition of new Set([...places.keys(), ...openEnds.map((open) => open.partition)])) {
    if (only?.includes(partition) === false) continue
    const held: Held = {
      ranges: partition < reader.partitions ? await reader.incarnations(partition) : [],
      start: starts[partition] ?? 0,
      end: ends[partition] ?? 0,
    }
    const place = places.get(partition) ?? { offset: held.start, incarnation: held.ranges[0]?.incarnation ?? '' }
    const back = placeToRewindTo(place, held)
    const isLost = openEnds.some((open) => open.partition === partition && placeToRewindTo(open, held) !== undefined)
    if (back === undefined && !isLost) continue
    await journal.rewind(partition, back ?? place)
    rewound.add(partition)
  }
  return rewound
}
