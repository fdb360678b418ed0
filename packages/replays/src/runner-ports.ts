import type { Db } from '@tributary/api-kit'
import type { Clock, Logger, Metrics, WorkShare } from '@tributary/kernel'
import type { EventStore, LogReader, LogWriter, ReplaysTable } from '@tributary/storage'
import type { Selectable } from 'kysely'

/** Dependencies of the replay runner. */
export type ReplayRunnerDeps = {
  db: Db
  eventStore: EventStore
  /** The deliveries log, with each replay as a producer, and a reader of it. */
  deliveries: Pick<LogWriter, 'appendGroup' | 'beginEpoch' | 'lastSequences'>
  reader: Pick<LogReader, 'read' | 'ends' | 'starts' | 'partitions'>
  /** Whether this process sends for a workspace; true for all unless given. */
  isMine?: (workspaceId: string) => boolean
  /** False while the disk is nearly full, or processing is behind: then replays wait. */
  mayAppend(): boolean
  /** Called with a destination whose dead letters were made due again. */
  onDue(due: { workspaceId: string; destinationId: string }): void
  clock: Clock
  logger: Logger
  metrics: Metrics
  /** Thread time used by the conditions of workspaces; a new share unless given. */
  workShare?: WorkShare
  settings?: Partial<ReplayRunnerSettings>
}

export type ReplayRunnerSettings = {
  /** Maximum number of replays that send at the same time; others wait for their turn. */
  replays: number
  /** How often the runner looks for new replays without a wake-up, ms. */
  pollMs: number
  /** Maximum number of events in one step. */
  stepEvents: number
  /**
   * A replay stops sending while deliveries are behind it by more events than it may send in this many seconds. So a
   * pause takes effect soon, and the stream does not fill up.
   */
  aheadSeconds: number
  aheadEvents: number
  /** Pause after a failure, ms. */
  retryMs: number
}

export const defaultReplayRunnerSettings: ReplayRunnerSettings = {
  replays: 8,
  pollMs: 1000,
  stepEvents: 1000,
  aheadSeconds: 10,
  aheadEvents: 1000,
  retryMs: 1000,
}

export type ReplayState = Selectable<ReplaysTable>

/** A running replay. */
export type ReplayRun = {
  /** Sends some more events. Resolves to the time (ms) until the next step, or to undefined if there is none. */
  step(): Promise<number | undefined>
  /** Releases its resources. */
  close(): Promise<void>
}
