import type { Db } from '@tributary/api-kit'
import type { Clock, Logger, Metrics, WorkShare } from '@tributary/kernel'
import type { EventStore, LogReader, LogWriter, ReplaysTable } from '@tributary/storage'
import type { Selectable } from 'kysely'

/** Dependencies of the replay runner. */
export type ReplayRunnerDeps = {
  db: Db
  eventStore: EventStore
  /** The deliveries log. Each replay is one of its producers. */
  deliveries: Pick<LogWriter, 'appendGroup' | 'beginEpoch' | 'lastSequences'>
  reader: Pick<LogReader, 'read' | 'ends' | 'starts' | 'partitions'>
  /** Whether this process sends for a workspace. If absent, it sends for all workspaces. */
  isMine?: (workspaceId: string) => boolean
  /** Returns false while the disk is nearly full or processing is behind. Replays then wait. */
  mayAppend(): boolean
  /** Called with a destination whose dead letters were made due again. */
  onDue(due: { workspaceId: string; destinationId: string }): void
  clock: Clock
  logger: Logger
  metrics: Metrics
  /** The thread time that the conditions of workspaces use. If absent, a new share. */
  workShare?: WorkShare
  settings?: Partial<ReplayRunnerSettings>
}

export type ReplayRunnerSettings = {
  /** Maximum number of replays that send at the same time. Other replays wait for their turn. */
  replays: number
  /** Interval in ms at which the runner looks for new replays if it is not woken. */
  pollMs: number
  /** Maximum number of events in one step. */
  stepEvents: number
  /**
   * A replay stops sending while deliveries are behind it by more events than its rate allows in this many seconds. So
   * a pause takes effect soon, and the stream does not fill up.
   */
  aheadSeconds: number
  aheadEvents: number
  /** Pause after a failure, ms. */
  retryMs: number
}

export const defaultReplayRunnerSettings: ReplayRunnerSettings = {
  replays: 8,
  pollMs: 2000,
  stepEvents: 1000,
  aheadSeconds: 10,
  aheadEvents: 1000,
  retryMs: 1000,
}

export type ReplayState = Selectable<ReplaysTable>

/** A running replay. */
export type ReplayRun = {
  /** Sends some more events. Resolves to the time (ms) until the next step, or to undefined if no step is left. */
  step(): Promise<number | undefined>
  /** Releases the resources of the run. */
  close(): Promise<void>
}
