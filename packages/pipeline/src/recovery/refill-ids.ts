import { type Clock, formatRecordPlace, type Logger, type RecordPlace } from '@tributary/kernel'
import {
  type ConsumerJournal,
  deduplicationWindowMs,
  type EventStore,
  EventStoreUnavailable,
  type LogReader,
  partitionsOf,
  type SeenId,
  systemOwner,
} from '@tributary/storage'
import { ownerOf } from '../process.ts'
import { retrying } from '../retrying.ts'
import { defaultPipelineSettings } from '../settings.ts'

/** How much clocks of processes that collect may differ, ms. */
const marginMs = 10 * 60 * 1000
/** How long before it is in the log a request may have been received, ms: it came slowly, waited, and was sent to the log more than once. */
const mostUnderWayMs = 10 * 60 * 1000
/** Ids that are asked for at a time: 6.4 MB. */
const defaultPageRows = 200_000
const rowBytes = 16 + 4 + 8 + 4

/** Places by partition, as values of a statement: how ids of their incarnation end, how ids at each begin, and at which character, from 1, there is a dash then. */
type Places = { partitions: string[]; ends: string[]; firsts: string[]; dashes: number[] }

type Page = Places & { workspace: string; source: string; time: number; id: string; rows: number; before: number }

const placesOf = (places: readonly RecordPlace[]): Places => {
  // Ids of before there were incarnations do not say that they have none.
  const bounding = places.filter(({ incarnation }) => incarnation !== '')
  const firsts = bounding.map((place) => formatRecordPlace(place).slice(0, -1 - place.incarnation.length))
  return {
    partitions: bounding.map(({ partition }) => String(partition)),
    ends: bounding.map(({ incarnation }) => `-${incarnation}`),
    firsts,
    dashes: firsts.map(({ length }) => length + 1),
  }
}

/**
 * Leaves out what lies before its partition's place: ids of the same incarnation with as many digits that sort before. What has more digits comes later; what has less, or is
 * of another incarnation, stays in, and is known already where it came earlier. Of 10 million events it takes 0.4 s of processor time to leave all
 * out; 1.5 s when ids are split into numbers.
 */
const behindText = `
  and not (endsWith(event_id, {ends:Array(String)}[indexOf({partitions:Array(String)}, substringIndex(event_id, '-', 1)) as at])
    and event_id < {firsts:Array(String)}[at] and substring(event_id, {dashes:Array(UInt8)}[at], 1) = '-')`

/**
 * Message ids as deduplication hashes them (`steps/deduplicate.ts`), with the place of the event that has each: hashed by the event store, which
 * spares both sides the texts. What the event store refused was accepted before. Events without an id of their own come along and do no harm.
 */
const pageText = `
select toFixedString(substring(SHA256(concat(if(status = 'rejected' and not startsWith(reason, 'refused_by_event_store'), 'rejected', 'accepted'), '\\n', source_id, '\\n', message_id)), 1, 16), 16),
  toUInt32(splitByChar('-', event_id)[1]), toUInt64(splitByChar('-', event_id)[2]), toUInt32(splitByChar('-', event_id)[3])`

const restText = (isBehind: boolean): string => `
from events
where workspace_id = {workspace:String} and source_id = {source:String} and message_id != ''
  and receive_time >= fromUnixTimestamp64Milli({time:Int64})${isBehind ? behindText : ''}
  and match(event_id, '^[0-9]{1,9}-[0-9]{10,15}-[0-9]{4,6}')
  and (receive_time, event_id) > (fromUnixTimestamp64Milli({time:Int64}), {id:String})
order by receive_time, event_id`

const idsOf = (page: Uint8Array): SeenId[] => {
  const bytes = Buffer.from(page.buffer, page.byteOffset, page.byteLength)
  if (bytes.length % rowBytes !== 0) throw new Error('The event store answered ids in a form that is not known')
  return Array.from({ length: bytes.length / rowBytes }, (_, row) => {
    const at = row * rowBytes
    return {
      hash: bytes.subarray(at, at + 16),
      partition: bytes.readUInt32LE(at + 16),
      offset: Number(bytes.readBigUInt64LE(at + 20)),
      index: bytes.readUInt32LE(at + 28),
    }
  })
}

/** When the oldest record was received that is still to be processed, epoch ms; now, where there is none. */
const oldestWaiting = async ({
  journal,
  reader,
  clock,
}: Pick<RefillDeps, 'journal' | 'reader' | 'clock'>): Promise<number> => {
  const next = new Map(journal.positions())
  for (const { partition, from } of journal.openRanges())
    next.set(partition, Math.min(next.get(partition) ?? from, from))
  const starts = await reader.starts()
  const ends = await reader.ends()
  let oldest = clock()
  for (const [partition, end] of ends.entries()) {
    const from = Math.max(next.get(partition) ?? 0, starts[partition] ?? 0)
    const [first] = from < end ? await reader.read(partition, from, 1) : []
    if (first !== undefined) oldest = Math.min(oldest, first.time, ownerOf(first).receivedAt)
  }
  return oldest
}

export type RefillDeps = {
  journal: Pick<ConsumerJournal, 'apart' | 'positions' | 'openRanges' | 'remember'>
  reader: Pick<LogReader, 'partitions' | 'starts' | 'ends' | 'read'>
  /** The partitions whose ids are needed; all unless given. */
  owned?: ReadonlySet<number>
  /** Over how many partitions workspaces were ever spread, of more than one. */
  widestSpreads?: () => Promise<ReadonlyMap<string, number>>
  eventStore: Pick<EventStore, 'query' | 'queryBinary'>
  clock: Clock
  logger: Logger
  /** Asks the event store until it answers. */
  asking<Answer>(question: () => Promise<Answer>): Promise<Answer>
  /** Ids that are asked for at a time; 200,000 unless given. */
  pageRows?: number
}

/** Takes in all ids of a source from a time (epoch ms) on, of what does not lie before these places; resolves to how many. */
const refillSource = async (
  { journal, eventStore, clock, asking, pageRows = defaultPageRows }: Omit<RefillDeps, 'reader' | 'logger'>,
  { workspace, source }: { workspace: string; source: string },
  time: number,
  places: readonly RecordPlace[] = [],
): Promise<number> => {
  const bounds = placesOf(places)
  const rest = restText(bounds.partitions.length > 0)
  let count = 0
  let from: Page | undefined = {
    ...bounds,
    workspace,
    source,
    time: time - 1,
    id: '',
    rows: pageRows,
    before: pageRows - 1,
  }
  while (from !== undefined) {
    const page: Page = from
    const ids = idsOf(
      await asking(() =>
        eventStore.queryBinary(`${pageText}${rest} limit {rows:UInt32}`, page, { owner: systemOwner, slot: 'heavy' }),
      ),
    )
    journal.remember(ids, clock())
    count += ids.length
    // Where the next page begins.
    const [end] =
      ids.length < pageRows
        ? []
        : await asking(() =>
            eventStore.query<{ time: number; id: string }>(
              `select toUnixTimestamp64Milli(receive_time) as time, event_id as id ${rest} limit {before:UInt32}, 1`,
              page,
              { owner: systemOwner, slot: 'heavy' },
            ),
          )
    from = end && { ...page, ...end }
  }
  return count
}

const sourcesSince = (
  { eventStore, asking }: Pick<RefillDeps, 'eventStore' | 'asking'>,
  time: number,
  workspaceId?: string,
): Promise<{ workspace: string; source: string }[]> =>
  asking(() =>
    eventStore.query<{ workspace: string; source: string }>(
      `select distinct workspace_id as workspace, source_id as source from events
       where receive_time >= fromUnixTimestamp64Milli({time:Int64})
       ${workspaceId === undefined ? '' : 'and workspace_id = {workspace:String}'}`,
      { time, workspace: workspaceId ?? '' },
      { owner: systemOwner, slot: 'heavy' },
    ),
  )

/** What is learned of a workspace: all that came into the log from a time on (epoch ms, by anybody's clock), of what does not lie before these places. */
export type RefillFrom = { time: number; places: readonly RecordPlace[] }

/**
 * Takes in the ids that a workspace's events had that came into the log from `since` on (epoch ms; the window unless given) and do not lie before these places, whoever
 * processed them: of a workspace that comes into these partitions. Nothing where all partitions are one consumer's, who has them. The time only spares reading: what is left out is told by
 * the places.
 */
export const refillWorkspace = async (
  deps: Omit<RefillDeps, 'reader' | 'logger'>,
  workspaceId: string,
  since?: number,
  places?: readonly RecordPlace[],
): Promise<void> => {
  const { journal, clock } = deps
  if (journal.apart === undefined) return
  const time = (since === undefined ? clock() - deduplicationWindowMs : since - mostUnderWayMs) - marginMs
  for (const source of await sourcesSince(deps, time, workspaceId)) await refillSource(deps, source, time, places)
  await journal.apart.idsComplete()
}

/**
 * The same for who asks again when it fails: rejects while the consumer has not begun, when the event store is away for long, and when it is told to stop.
 */
export const createWorkspaceRefill =
  (
    deps: Pick<RefillDeps, 'eventStore' | 'clock' | 'logger'> & {
      journal: Pick<ConsumerJournal, 'apart' | 'positions' | 'openRanges' | 'remember'>
      signal: AbortSignal
    },
  ) =>
  async (workspaceId: string, from?: RefillFrom): Promise<void> => {
    if (deps.journal.apart?.lacksIds() === true) throw new Error('The pipeline has not begun to read yet')
    const asking = <T>(question: () => Promise<T>): Promise<T> =>
      retrying(question, {
        baseMs: defaultPipelineSettings.retryBaseMs,
        capMs: defaultPipelineSettings.retryCapMs,
        signal: deps.signal,
        mayRetry: (error) => error instanceof EventStoreUnavailable,
        onFailure: (error, attempt) => {
          if (attempt === 1) deps.logger.warn({ err: error }, 'Message ids cannot be read now; trying again')
        },
      })
    await refillWorkspace({ ...deps, asking }, workspaceId, from?.time, from?.places)
  }

/**
 * Fills the journal's file of message ids with all that the event store has of the window, where the file does not have them. The window begins
 * so long before the oldest record that is still to be processed: what comes again of it is known. Ids that are remembered
 * longer than they would have been are dropped longer.
 */
export const refillIds = async (deps: RefillDeps): Promise<void> => {
  const { journal, clock, logger } = deps
  if (journal.apart?.lacksIds() !== true) return
  const started = performance.now()
  const time = (await oldestWaiting(deps)) - deduplicationWindowMs - marginMs
  const { owned } = deps
  const spreads = (await deps.widestSpreads?.()) ?? new Map<string, number>()
  let count = 0
  for (const source of await sourcesSince(deps, time)) {
    const { workspace } = source
    const partitions = partitionsOf(workspace, spreads.get(workspace) ?? 1, deps.reader.partitions)
    if (owned === undefined || partitions.some((partition) => owned.has(partition)))
      count += await refillSource(deps, source, time)
  }
  const unstored = await journal.apart.unstoredIds()
  journal.remember(unstored, clock())
  await journal.apart.idsComplete()
  const ms = Math.round(performance.now() - started)
  logger.info({ ids: count + unstored.length, ms }, 'Message ids of the last 24 hours were read from the event store')
}
