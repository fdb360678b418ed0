import type { IncarnationRange } from './incarnations.ts'
import type { ConsumerJournal, JournalPlace } from './journal-port.ts'
import type { LogReader } from './port.ts'

/** The range of a partition that a log has. */
type Held = { ranges: readonly IncarnationRange[]; start: number; end: number }

/**
 * The position to which a consumer must be rewound; undefined if the log still has the consumer's state.
 * - For an incarnation that ends earlier in the log: its end.
 * - For an incarnation that was never read: at most the end of the log.
 * - For an incarnation that is not in the log: its records were trimmed, if the log begins at or after the position.
 *   Otherwise it is another log, and all of it is new.
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
 * Compares a consumer's positions and open ranges with the log, and rewinds them if the log does not have them any
 * more. Then the log was restored from a backup, lost or replaced, and has assigned the same offsets again. Open ranges
 * of a partition are removed unless the log has all of them unchanged. Call it before reading these partitions (all,
 * unless given). Returns the rewound partitions: the consumer must find out by other means which of their records it
 * has processed.
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
