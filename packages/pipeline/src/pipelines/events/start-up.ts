import type { Clock, Logger } from '@tributary/kernel'
import { type ConsumerJournal, type EventStore, type LogReader, reconcile } from '@tributary/storage'
import type { DeliverBranch } from '../../branches/deliver.ts'
import type { StoreBranch } from '../../branches/store.ts'
import { type Overtakings, readerOfLanes } from '../../overtaking/overtakings.ts'
import type { Processor } from '../../process.ts'
import type { Progress } from '../../progress.ts'
import { type AlreadyAppended, alreadyAppended } from '../../recovery/already-appended.ts'
import { whereWentBack } from '../../recovery/log-rewind.ts'
import { recover } from '../../recovery/recovery.ts'
import { refillIds } from '../../recovery/refill-ids.ts'
import type { StoredStatuses } from '../../recovery/stored-statuses.ts'

export type StartUpDeps = {
  journal: ConsumerJournal
  reader: LogReader
  owned?: ReadonlySet<number>
  widestSpreads?: () => Promise<ReadonlyMap<string, number>>
  processor: Processor
  store: Pick<StoreBranch, 'begin' | 'repeat' | 'committed'>
  overtakings: Overtakings
  deliver: Pick<DeliverBranch, 'begin' | 'add'>
  progress: Pick<Progress, 'begin'>
  storedStatuses: StoredStatuses
  logger: Logger
  /** Maximum bytes per read. */
  readBytes: number
  clock: Clock
  eventStore: Pick<EventStore, 'query' | 'queryBinary'>
  /** Repeats a query of the event store until it responds. */
  asking<Answer>(question: () => Promise<Answer>): Promise<Answer>
  /** Called with the deliveries that earlier runs appended, before any record is processed. */
  onAlreadyAppended(before: AlreadyAppended): void
}

/** The point where reading begins. */
export type StartingPoint = {
  /** The next offset to read, by lane. */
  readonly next: Map<number, number>
  /**
   * By partition, the offset before which records may be stored without the journal's knowledge. With a new or lost
   * journal, or one of another log, it is the end of the log at the start. With a journal restored from an earlier
   * time, it is the end of the stored records; 0 otherwise.
   */
  readonly unknownBefore: readonly number[]
}

/**
 * Reconciles the journal with the log, finds what earlier runs appended to deliveries, and repeats the ranges that the
 * last run left open. Must run before anything is read. Throws RangeMissing if the log no longer has these ranges.
 */
export const startUp = async (deps: StartUpDeps): Promise<StartingPoint> => {
  const { journal, reader, store, logger, overtakings } = deps
  overtakings.load()
  const lanes = overtakings.partitions().map(overtakings.aheadOf)
  const all = Array.from({ length: reader.partitions }, (_, partition) => partition)
  const rewound = await reconcile(journal, readerOfLanes(reader), [...all, ...lanes])
  // If one reading of a partition was rewound, the other counts as rewound, too. Each request stays with its reading,
  // so the overtaken workspaces do not change.
  for (const lane of rewound) rewound.add(overtakings.partitionOf(lane))
  if (rewound.size > 0)
    logger.warn(
      { partitions: [...rewound] },
      'the log was replaced or restored: processing goes on where the new one begins to differ',
    )
  await refillIds(deps)
  const storedBefore = await whereWentBack(deps)
  if (storedBefore.some((offset) => offset > 0))
    logger.warn({}, 'journal is older than the event store; stored events are looked up')
  store.begin()
  deps.onAlreadyAppended(alreadyAppended(await deps.deliver.begin()))
  const repeated = await recover(deps)
  if (repeated > 0) {
    logger.info({ inserts: repeated }, 'inserts that the last run left open were repeated')
    // Recovery has added the IDs of these ranges.
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
