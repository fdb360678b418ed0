import {
  type Clock,
  formatRecordPlace,
  type Logger,
  type RecordPlace,
  type RetryPolicy,
  retryPolicies,
} from '@tributary/kernel'
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
import { factsOf } from '../process.ts'
import { retrying } from '../retrying.ts'

/** Maximum clock difference between collecting processes, ms. */
const marginMs = 10 * 60 * 1000
/**
 * Maximum time from the receipt of a request to its place in the log, ms. It includes slow transfer, waiting, and
 * repeated appends.
 */
const maxTransitMs = 10 * 60 * 1000
/** Maximum IDs per query: 6.4 MB. */
const defaultPageRows = 200_000
const rowBytes = 16 + 4 + 8 + 4

/**
 * Places by partition, as values of a statement.
 * - `ends`: the last part of event IDs of the incarnation;
 * - `firsts`: the first part of event IDs at each place;
 * - `dashes`: the position of the dash after the first part, from 1.
 */
type Places = { partitions: string[]; ends: string[]; firsts: string[]; dashes: number[] }

type Page = Places & { workspace: string; source: string; time: number; id: string; rows: number; before: number }

const placesOf = (places: readonly RecordPlace[]): Places => {
  // A place without an incarnation excludes no event: IDs from before incarnations existed have no part that identifies
  // them.
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
 * Excludes events before their partition's place: IDs of the same incarnation with as many digits that sort before it.
 * IDs with more digits are later. IDs with fewer digits, or of another incarnation, are included, and are already known
 * if they came earlier. Excluding all of 10 million events takes 0.4 s of processor time; splitting IDs into numbers
 * takes 1.5 s.
 */
const behindText = `
  and not (endsWith(event_id, {ends:Array(String)}[indexOf({partitions:Array(String)}, substringIndex(event_id, '-', 1)) as at])
    and event_id < {firsts:Array(String)}[at] and substring(event_id, {dashes:Array(UInt8)}[at], 1) = '-')`

/**
 * Message IDs, hashed as in deduplication (`steps/deduplicate.ts`), with the place of each event. The event store
 * computes the hashes, so that neither side has to transfer the texts. Events that the event store refused are
 * included, since they were accepted before. Events without an ID of their own are included and do no harm.
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

/** Time of receipt of the oldest unprocessed record, epoch ms; the current time if there is none. */
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
    if (first !== undefined) oldest = Math.min(oldest, first.time, factsOf(first).receivedAt)
  }
  return oldest
}

export type RefillDeps = {
  journal: Pick<ConsumerJournal, 'apart' | 'positions' | 'openRanges' | 'remember'>
  reader: Pick<LogReader, 'partitions' | 'starts' | 'ends' | 'read'>
  /** The partitions whose IDs are needed. If absent, all partitions. */
  owned?: ReadonlySet<number>
  /** The maximum number of partitions that each workspace was ever spread over, if more than one. */
  widestSpreads?: () => Promise<ReadonlyMap<string, number>>
  eventStore: Pick<EventStore, 'query' | 'queryBinary'>
  clock: Clock
  logger: Logger
  /** Repeats a query of the event store until it responds. */
  asking<Answer>(question: () => Promise<Answer>): Promise<Answer>
  /** Maximum number of IDs per query. If absent, 200,000. */
  pageRows?: number
}

/**
 * Loads the message IDs of the events of a source that were received since a time (epoch ms) and do not lie before
 * these places. Resolves to their number.
 */
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
    // The time and ID of the last event of this page, after which the next page begins.
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

/**
 * The events of a workspace to load: all events in the log since a time (epoch ms, by the clock of any process) that do
 * not lie before these places.
 */
export type RefillFrom = { time: number; places: readonly RecordPlace[] }

/** Thrown when the event store does not respond in time. Users see the text. */
class RefillWaited extends Error {
  override readonly name = 'RefillWaited'
  constructor(cause: EventStoreUnavailable) {
    super('Waited too long until the event store answered which message IDs it has', { cause })
  }
}

/**
 * Creates the function that loads the message IDs of a workspace that moves into these partitions, from any process
 * that handled the workspace before. The time of `from` only limits what is read: the places decide which events are
 * excluded. Without `from`, the function loads the IDs of the window. It does nothing if one consumer has all
 * partitions, because that consumer already has all IDs.
 *
 * While the event store is down, the function waits for up to a minute and then rejects, because the caller may have
 * ended and other calls wait. It also rejects if the consumer has not begun to read, or is stopped. Callers retry.
 */
export const createWorkspaceRefill =
  ({
    signal,
    policy = retryPolicies.refill,
    ...deps
  }: Pick<RefillDeps, 'journal' | 'eventStore' | 'clock' | 'logger'> & {
    signal: AbortSignal
    /** The retry policy of failed queries. If absent, the default of the product. */
    policy?: RetryPolicy
  }) =>
  async (workspaceId: string, from?: RefillFrom): Promise<void> => {
    const { journal, clock, logger } = deps
    if (journal.apart === undefined) return
    if (journal.apart.lacksIds()) throw new Error('The pipeline has not begun to read yet')
    const asking = <T>(question: () => Promise<T>): Promise<T> =>
      retrying(question, {
        ...policy,
        signal,
        mayRetry: (error) => error instanceof EventStoreUnavailable,
        onFailure: (error, attempt) => {
          if (attempt === 1)
            logger.warn({ err: error }, 'message IDs cannot be read from the event store now; the pipeline tries again')
        },
      }).catch((error: unknown) => {
        throw error instanceof EventStoreUnavailable ? new RefillWaited(error) : error
      })
    const time = (from === undefined ? clock() - deduplicationWindowMs : from.time - maxTransitMs) - marginMs
    for (const source of await sourcesSince({ ...deps, asking }, time, workspaceId))
      await refillSource({ ...deps, asking }, source, time, from?.places)
    await journal.apart.idsComplete()
  }

/**
 * Fills the journal's file of message IDs from the event store, if the file lacks those of the window. The window
 * starts before the oldest unprocessed record, so that repetitions from that record's time are recognized. IDs that are
 * kept longer than usual also count as duplicates for longer.
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
  logger.info({ ids: count + unstored.length, ms }, 'message IDs of the last 24 hours were read from the event store')
}
