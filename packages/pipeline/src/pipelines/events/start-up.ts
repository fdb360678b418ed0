import type { Clock, Logger } from '@tributary/kernel'
import { type ConsumerJournal, type EventStore, type LogReader, reconcile } from '@tributary/storage'
import type { DeliverBranch } from '../../branches/deliver.ts'
import type { StoreBranch } from '../../branches/store.ts'
import { type Overtakings, readerOfLanes } from '../../overtaking/overtakings.ts'
import type { Processor } from '../../process.ts'
import type { Progress } from '../../progress.ts'
import { type AlreadyAppended, findAlreadyAppended } from '../../recovery/already-appended.ts'
import { recover } from '../../recovery/recovery.ts'
import { refillIds } from '../../recovery/refill-ids.ts'
import type { StoredStatuses } from '../../recovery/stored-statuses.ts'
import { whereWentBack } from '../../recovery/went-back.ts'

export type StartUpDeps = {
  journal: ConsumerJournal
  reader: LogReader
  owned?: ReadonlySet<number>
  widestSpreads?: () => Promise<ReadonlyMap<string, number>>
  /** Of the deliveries log. */
  deliveriesReader: LogReader
  processor: Processor
  store: Pick<StoreBranch, 'begin' | 'repeat' | 'committed'>
  overtakings: Overtakings
  deliver: Pick<DeliverBranch, 'begin' | 'add'>
  progress: Pick<Progress, 'begin'>
  storedStatuses: StoredStatuses
  logger: Logger
  /** Bytes read at once. */
  readBytes: number
  clock: Clock
  eventStore: Pick<EventStore, 'query' | 'queryBinary'>
  /** Asks the event store until it answers. */
  asking<Answer>(question: () => Promise<Answer>): Promise<Answer>
  /** Told what earlier runs appended to deliveries, before anything is processed. */
  onAlreadyAppended(before: AlreadyAppended): void
}

/** Where reading begins. */
export type StartingPoint = {
  /** The offset to be read next, by lane. */
  readonly next: Map<number, number>
  /**
   * The offset by partition before which records may be stored already without the journal's knowledge: with a new or
   * lost journal, or one of another log, what was in the log at the start; with one of an earlier time, what is stored; 0 otherwise.
   */
  readonly unknownBefore: readonly number[]
}

/**
 * Brings the journal in line with the log, finds what earlier runs appended to deliveries, and repeats what the last one
 * left open. Comes before anything is read. Throws RangeMissing when the log does not hold that any more.
 */
export const startUp = async (deps: StartUpDeps): Promise<StartingPoint> => {
  const { journal, reader, store, logger, overtakings } = deps
  overtakings.load()
  const lanes = overtakings.partitions().map(overtakings.aheadOf)
  const all = Array.from({ length: reader.partitions }, (_, partition) => partition)
  const rewound = await reconcile(journal, readerOfLanes(reader), [...all, ...lanes])
  // Each request is of one reading wherever both begin: who is overtaken stays so.
  for (const lane of rewound) rewound.add(overtakings.partitionOf(lane))
  if (rewound.size > 0) logger.warn({ partitions: [...rewound] }, 'The log is another one: it is processed from there')
  await refillIds(deps)
  const storedBefore = await whereWentBack(deps)
  if (storedBefore.some((offset) => offset > 0))
    logger.warn({}, 'The journal is of an earlier time than the event store, which is asked what it has')
  store.begin()
  const before = await findAlreadyAppended({
    requests: reader,
    deliveries: deps.deliveriesReader,
    journal,
    sequences: await deps.deliver.begin(),
  })
  deps.onAlreadyAppended(before)
  if (before.found > 0) logger.info({ events: before.found }, 'Found what a run of before appended and left open')
  const repeated = await recover(deps)
  if (repeated > 0) {
    logger.info({ inserts: repeated }, 'Repeated what the last run left open')
    // Ids of what was repeated were added to them.
    await journal.apart?.idsComplete()
  }
  const starts = await reader.starts()
  deps.progress.begin(starts)
  const ends = await reader.ends()
  const committed = store.committed()
  const next = new Map(starts.map((start, partition) => [partition, Math.max(committed.get(partition) ?? 0, start)]))
  for (const partition of overtakings.partitions()) {
    const ahead = overtakings.aheadOf(partition)
    next.set(ahead, Math.max(committed.get(ahead) ?? 0, starts[partition] ?? 0))
  }
  return {
    next,
    unknownBefore: ends.map((end, partition) =>
      journal.fresh || rewound.has(partition) ? end : (storedBefore[partition] ?? 0),
    ),
  }
}
