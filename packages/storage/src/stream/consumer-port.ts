import type { Logger, Metrics } from '@tributary/kernel'
import type { ConsumerJournal } from '../log/journal-port.ts'
import type { LogPosition, LogReader, LogRecord } from '../log/port.ts'

/** Sizes in bytes, times in ms. */
export type ConsumerSettings = {
  /** Bytes that are read of a partition at a time, and handed on as one batch. */
  readBytes: number
  /** Bytes that may be read and not handled yet, over all partitions. */
  aheadBytes: number
  /**
   * Bytes that a partition with nothing in memory may have beyond that, so that others that are stuck do not keep it
   * out.
   */
  shareBytes: number
  /** Partitions that are handled at the same time. */
  atOnce: number
  /** How often positions of handled records are committed. */
  commitMs: number
  /**
   * How long a consumer that is up to date waits for more records after some came, so that batches are fewer, also
   * under constant load. One that is behind does not wait.
   */
  lingerMs: number
  /** Back-off of a batch that failed. */
  retryBaseMs: number
  retryCapMs: number
}

/**
 * Thrown by a handler that finds its own work back behind its position: the partition begins again, where `begin` says.
 */
export class BeginAnew extends Error {
  override readonly name = 'BeginAnew'
}

/**
 * The position of a consumer in a partition: the offset that it reads next, and a text of its own beside it ('' for
 * none).
 */
export type Place = { offset: number; note: string }

/** The state of a partition when a consumer begins with it. */
export type Beginning = {
  /** Where its last holder left it; undefined for one that was never begun. */
  place: Place | undefined
  /** The first offset that the log holds. */
  start: number
  /** Commits a place on the way: from its offset on the log is needed. */
  keep(place: Place): Promise<void>
  /** Aborts when the partition is taken away. */
  signal: AbortSignal
}

export type ConsumerDeps = {
  /** Names it in logs and metrics. */
  name: string
  reader: Pick<LogReader, 'partitions' | 'read' | 'wait' | 'starts' | 'ends' | 'incarnations'>
  /** The journal of this consumer; the owner of a partition owns its position. */
  journal: Pick<ConsumerJournal, 'positions' | 'places' | 'openEnds' | 'notes' | 'commit' | 'saw' | 'rewind'>
  /**
   * Handles records of a partition, and resolves when the result is durable. Records of a partition come in their
   * order, one batch after the other. After a failure or a crash the same ones come again, in batches of other sizes.
   * So the handler has to recognize handled records by their positions. The flag `atEnd` is true when the log ended
   * with them as they were read, so that they end with a whole group of a producer. Resolves to the text to be kept
   * beside the position. Rejects with `BeginAnew` when these are not the next records any more.
   */
  handle(records: readonly LogRecord[], note: string, atEnd: boolean): Promise<string>
  /**
   * Called when a partition is given, when the handler asks for it, and when records turn out to be trimmed before they
   * were read. Resolves to the position to read from, after it has brought the consumer there. Ends soon after the
   * signal aborts. Without it: the position, or the first offset held.
   */
  begin?(partition: number, beginning: Beginning): Promise<Place>
  /** Called when a partition was taken away and none of its records is being handled: frees its state in memory. */
  end?(partition: number): Promise<void> | void
  logger: Logger
  metrics: Metrics
  settings?: Partial<ConsumerSettings>
}

/** A consumer of a log, which gains and loses partitions; its state in memory is per partition. */
export type Consumer = {
  /** Takes partitions up where their last holder left them. Those that it has already stay as they are. */
  give(partitions: readonly number[]): void
  /**
   * Takes partitions away: their open work ends first, and no more begins. Resolves when their positions are committed
   * and nothing of them is in memory: from then on another consumer may have them.
   */
  take(partitions: readonly number[]): Promise<void>
  /** The lowest offset of each partition that is still needed, held or not. A partition never begun is not named. */
  needed(): LogPosition[]
  /** Resolves when everything in the log at the call, of the partitions that it holds, is handled and committed. */
  idle(): Promise<void>
  /** Takes every partition away and ends. */
  stop(): Promise<void>
}
