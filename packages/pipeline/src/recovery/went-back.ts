import { type ConsumerJournal, type EventStore, type LogReader, systemOwner } from '@tributary/storage'
import { ownerOf } from '../process.ts'

/** How much clocks of processes that collect may differ, ms. */
const marginMs = 10 * 60 * 1000

export type WentBackDeps = {
  journal: Pick<ConsumerJournal, 'places' | 'openRanges' | 'rewind' | 'fresh' | 'apart'>
  reader: Pick<LogReader, 'partitions' | 'incarnations' | 'starts' | 'ends' | 'read'>
  eventStore: Pick<EventStore, 'query'>
  /** Asks the event store until it answers. */
  asking<Answer>(question: () => Promise<Answer>): Promise<Answer>
}

/** The first record of each partition that the journal has not done with, where there is one. */
const firstOpen = async ({ journal, reader }: WentBackDeps) => {
  const places = journal.places()
  const starts = await reader.starts()
  const ends = await reader.ends()
  const found: { partition: number; from: number; receivedAt: number }[] = []
  for (const [partition, end] of ends.entries()) {
    const from = Math.max(places.get(partition)?.offset ?? 0, starts[partition] ?? 0)
    const [first] = from < end ? await reader.read(partition, from, 1) : []
    if (first !== undefined) found.push({ partition, from, receivedAt: ownerOf(first).receivedAt })
  }
  return found
}

/**
 * Compares a journal that is kept apart from the event store with that. Nothing is stored that the journal has not begun: where more is
 * stored, the journal was restored from a time before. What it has begun then it has ended long since, under tokens that the event store may not know any more:
 * these ranges are forgotten. Resolves to the offset by partition before which records may be stored without its knowledge; 0 for none.
 */
export const whereWentBack = async (deps: WentBackDeps): Promise<number[]> => {
  const { journal, reader, eventStore, asking } = deps
  const behind = Array.from({ length: reader.partitions }, () => 0)
  if (journal.apart === undefined || journal.fresh) return behind
  const open = await firstOpen(deps)
  if (open.length === 0) return behind
  const known = new Map([...journal.places()].map(([partition, { offset }]) => [partition, offset]))
  for (const { partition, to } of journal.openRanges()) known.set(partition, Math.max(known.get(partition) ?? 0, to))
  const rows = await asking(() =>
    eventStore.query<{ partition: number; incarnation: string; end: number }>(
      `select toUInt32(splitByChar('-', event_id)[1]) as partition, splitByChar('-', event_id)[4] as incarnation,
         max(toUInt64(splitByChar('-', event_id)[2])) + 1 as end
       from events
       where receive_time >= fromUnixTimestamp64Milli({from:Int64})
         and match(event_id, '^[0-9]{1,9}-[0-9]{10,15}-[0-9]{4,6}')
       group by partition, incarnation`,
      { from: Math.min(...open.map(({ receivedAt }) => receivedAt)) - marginMs },
      { owner: systemOwner, slot: 'heavy' },
    ),
  )
  for (const { partition } of open) {
    const ranges = await reader.incarnations(partition)
    for (const [at, { incarnation }] of ranges.entries()) {
      const stored = rows.find((row) => row.partition === partition && row.incarnation === incarnation)
      if (stored === undefined) continue
      const until = ranges[at + 1]?.from ?? Number.MAX_SAFE_INTEGER
      behind[partition] = Math.max(behind[partition] ?? 0, Math.min(stored.end, until))
    }
  }
  const isBeyond = (end: number, partition: number): boolean => end > (known.get(partition) ?? 0)
  if (!behind.some(isBeyond)) return behind.map(() => 0)
  const places = journal.places()
  for (const { partition } of journal.openRanges()) {
    const [held] = await reader.incarnations(partition)
    const start = (await reader.starts())[partition] ?? 0
    await journal.rewind(partition, places.get(partition) ?? { offset: start, incarnation: held?.incarnation ?? '' })
  }
  return behind
}
