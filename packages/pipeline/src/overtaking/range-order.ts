import type { JournalRange } from '@tributary/storage'
import type { Overtakings } from './overtakings.ts'

/**
 * Sorts the ranges of one token in the order in which their records were read. Ranges before the double reading come
 * first, then ranges of the reading ahead, then ranges of the reading behind. A sequence of the reading behind means
 * that every earlier record was appended.
 */
export const inReadOrder = (
  ranges: readonly JournalRange[],
  { of, partitionOf }: Pick<Overtakings, 'partitionOf' | 'of'>,
): { range: JournalRange; takes(offset: number): boolean }[] => {
  const all = ranges.flatMap((range) => {
    const partition = partitionOf(range.partition)
    const from = of(partition)?.from
    if (from === undefined) return [{ range, order: 0, takes: () => true }]
    if (range.partition !== partition) return [{ range, order: 1, takes: () => true }]
    return [
      ...(range.from < from ? [{ range, order: 0, takes: (offset: number) => offset < from }] : []),
      ...(range.to > from ? [{ range, order: 2, takes: (offset: number) => offset >= from }] : []),
    ]
  })
  return all.toSorted((a, b) => a.order - b.order)
}
