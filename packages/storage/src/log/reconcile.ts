import type { IncarnationRange } from './incarnations.ts'
import type { ConsumerJournal, JournalPlace } from './journal-port.ts'
import type { LogReader } from './port.ts'

/** The range of a partition that a log holds. */
type Held = { ranges: readonly IncarnationRange[]; start: number; end: number }

/**
 * The position that a consumer has to go back to; undefined where the log still holds the consumer's state.
 * - For an incarnation in the log that ends earlier: its end.
 * - For one that was never read: the end of the log at most.
 * - For one that is not in the log: its records were trimmed if the log begins no earlier than that. Else the log is
 *   another one, and all of it is new.
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
 * Compares a consumer's positions and open ranges with the log, and rewinds them where the log does not hold them any
 * more. The log was then restored from a backup, lost or replaced, and has given the same offsets again. Open ranges of
 * a partition are forgotten unless the log holds all of them as they were begun. Call it before reading these
 * partitions (all, unless given). Returns the partitions that were rewound: the consumer must find out by other means
 * than its positions what it has done with their records.
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
