import { type ConsumerJournal, type EventStore, type LogReader, systemOwner } from '@tributary/storage'
import type { Overtakings } from '../overtaking/overtakings.ts'
import { factsOf } from '../process.ts'

/** Maximum clock difference between collecting processes, ms. */
const marginMs = 10 * 60 * 1000

export type WentBackDeps = {
  journal: Pick<ConsumerJournal, 'places' | 'openRanges' | 'rewind' | 'fresh' | 'apart'>
  reader: Pick<LogReader, 'partitions' | 'incarnations' | 'starts' | 'ends' | 'read'>
  eventStore: Pick<EventStore, 'query'>
  /** Repeats a query of the event store until it responds. */
  asking<Answer>(question: () => Promise<Answer>): Promise<Answer>
  overtakings: Pick<Overtakings, 'partitionOf' | 'aheadOf' | 'of'>
}

/** Reads the first uncommitted record of each partition that has one. */
const firstOpen = async ({ journal, reader }: WentBackDeps) => {
  const places = journal.places()
  const starts = await reader.starts()
  const ends = await reader.ends()
  const found: { partition: number; from: number; receivedAt: number }[] = []
  for (const [partition, end] of ends.entries()) {
    const from = Math.max(places.get(partition)?.offset ?? 0, starts[partition] ?? 0)
    const [first] = from < end ? await reader.read(partition, from, 1) : []
    if (first !== undefined) found.push({ partition, from, receivedAt: factsOf(first).receivedAt })
  }
  return found
}

/**
 * Queries the offset after the last stored record of each partition, among records of the incarnations in its log. The
 * query covers all workspaces, or only the given workspaces, each from an offset on.
 */
const storedEnds = async (
  { reader, eventStore, asking }: WentBackDeps,
  open: Awaited<ReturnType<typeof firstOpen>>,
  only?: readonly (readonly [workspaceId: string, offset: number])[],
): Promise<Map<number, number>> => {
  const isOne = (_: unknown, at: number): string =>
    `(workspace_id = {workspace${at}:String} and toUInt64OrZero(splitByChar('-', event_id)[2]) >= {offset${at}:UInt64})`
  const values = (only ?? []).flatMap(([workspace, offset], at) => [
    [`workspace${at}`, workspace],
    [`offset${at}`, offset],
  ])
  const rows = await asking(() =>
    eventStore.query<{ partition: number; incarnation: string; end: number }>(
      `select toUInt32(splitByChar('-', event_id)[1]) as partition, splitByChar('-', event_id)[4] as incarnation,
         max(toUInt64(splitByChar('-', event_id)[2])) + 1 as end
       from events
       where receive_time >= fromUnixTimestamp64Milli({from:Int64})
         and match(event_id, '^[0-9]{1,9}-[0-9]{10,15}-[0-9]{4,6}')
         ${only === undefined ? '' : `and (${only.map(isOne).join(' or ')})`}
       group by partition, incarnation`,
      { from: Math.min(...open.map(({ receivedAt }) => receivedAt)) - marginMs, ...Object.fromEntries(values) },
      { owner: systemOwner, slot: 'heavy' },
    ),
  )
  const ends = new Map<number, number>()
  for (const { partition } of open) {
    const ranges = await reader.incarnations(partition)
    for (const [at, { incarnation }] of ranges.entries()) {
      const stored = rows.find((row) => row.partition === partition && row.incarnation === incarnation)
      if (stored === undefined) continue
      const until = ranges[at + 1]?.from ?? Number.MAX_SAFE_INTEGER
      ends.set(partition, Math.max(ends.get(partition) ?? 0, Math.min(stored.end, until)))
    }
  }
  return ends
}

/**
 * Whether the store has records that the journal has not begun. If workspaces are overtaken, their records are also
 * compared with the reading behind, which may have begun fewer records than the reading ahead.
 */
const isBeyond = async (
  deps: WentBackDeps,
  open: Awaited<ReturnType<typeof firstOpen>>,
  stored: ReadonlyMap<number, number>,
): Promise<boolean> => {
  const { journal, overtakings } = deps
  const known = new Map([...journal.places()].map(([lane, { offset }]) => [lane, offset]))
  for (const { partition: lane, to } of journal.openRanges()) known.set(lane, Math.max(known.get(lane) ?? 0, to))
  for (const [partition, end] of stored) {
    const overtaking = overtakings.of(partition)
    const behind = known.get(partition) ?? 0
    const ahead = overtaking === undefined ? 0 : (known.get(overtakings.aheadOf(partition)) ?? 0)
    if (end > Math.max(behind, ahead)) return true
    if (overtaking === undefined) continue
    const one = open.filter((each) => each.partition === partition)
    const overtaken = (await storedEnds(deps, one, [...overtaking.workspaces])).get(partition) ?? 0
    if (overtaken > behind && behind < (overtaking.until ?? Number.POSITIVE_INFINITY)) return true
  }
  return false
}

/**
 * Compares the journal with the event store, if the journal is stored separately from it. Every range is in the journal
 * before it is stored. So if the store has records beyond the journal, the journal was restored from an earlier state.
 * The open ranges of such a journal ended long ago, under tokens that the event store may have dropped, so they are
 * removed. Resolves, by partition, to the offset before which records may be stored although the journal does not have
 * them; 0 for none.
 */
export const whereWentBack = async (deps: WentBackDeps): Promise<number[]> => {
  const { journal, reader, overtakings } = deps
  const none = Array.from({ length: reader.partitions }, () => 0)
  if (journal.apart === undefined || journal.fresh) return none
  const open = await firstOpen(deps)
  if (open.length === 0) return none
  const stored = await storedEnds(deps, open)
  if (!(await isBeyond(deps, open, stored))) return none
  const places = journal.places()
  for (const { partition: lane } of journal.openRanges()) {
    const [held] = await reader.incarnations(overtakings.partitionOf(lane))
    const start = (await reader.starts())[overtakings.partitionOf(lane)] ?? 0
    await journal.rewind(lane, places.get(lane) ?? { offset: start, incarnation: held?.incarnation ?? '' })
  }
  return none.map((_, partition) => stored.get(partition) ?? 0)
}
