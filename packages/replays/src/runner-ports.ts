import type { Db } from '@tributary/api-kit'
import type { Clock, Logger, Metrics, WorkShare } from '@tributary/kernel'
import type { EventStore, LogReader, LogWriter, ReplaysTable } from '@tributary/storage'
import type { Selectable } from 'kysely'

/** What the runner of replays needs. */
export type ReplayRunnerDeps = {
  db: Db
  eventStore: EventStore
  /** The log of deliveries, of which each replay is a producer, and a reader of it. */
  deliveries: Pick<LogWriter, 'appendGroup' | 'beginEpoch' | 'lastSequences'>
  reader: Pick<LogReader, 'read' | 'ends' | 'starts' | 'partitions'>
  /** Whether this process sends for a workspace; for all unless given. */
  isMine?: (workspaceId: string) => boolean
  /** False while the disk is nearly full, or processing is behind: then replays wait. */
  mayAppend(): boolean
  /** Called with a destination whose dead letters are due again. */
  onDue(due: { workspaceId: string; destinationId: string }): void
  clock: Clock
  logger: Logger
  metrics: Metrics
  /** What the conditions of workspaces have taken of this thread; one of its own unless given. */
  workShare?: WorkShare
  settings?: Partial<ReplayRunnerSettings>
}

export type ReplayRunnerSettings = {
  /** Replays that send at the same time; the others wait for their turn. */
  replays: number
  /** How often the runner looks for new replays when it is not woken, ms. */
  pollMs: number
  /** Events of one step at most. */
  stepEvents: number
  /**
   * A replay stops while the deliveries are further behind it than it may send in so many seconds. So a pause takes effect soon, and
   * the stream does not fill up.
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

/** One replay on its way. */
export type ReplayRun = {
  /** Sends some more of it; resolves to the time (ms) until the next step, or to undefined when there is none to be. */
  step(): Promise<number | undefined>
  /** Lets go of what it holds. */
  close(): Promise<void>
}
