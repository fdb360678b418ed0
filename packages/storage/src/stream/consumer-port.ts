import type { Logger, Metrics } from '@tributary/kernel'
import type { ConsumerJournal } from '../log/journal-port.ts'
import type { LogPosition, LogReader, LogRecord } from '../log/port.ts'

/** Settings of a consumer: sizes in bytes, times in ms. */
export type ConsumerSettings = {
  /** Bytes that are read from a partition at a time, and passed on as one batch. */
  readBytes: number
  /** Maximum bytes that are read but not handled yet, over all partitions. */
  aheadBytes: number
  /** Additional bytes for a partition with nothing in memory, so that others that are stuck do not block it. */
  shareBytes: number
  /** Maximum number of partitions that are handled at the same time. */
  atOnce: number
  /** How often positions of handled records are committed. */
  commitMs: number
  /**
   * How long a consumer without a backlog waits for more records after some came, so that batches are fewer, even under
   * constant load. A consumer with a backlog does not wait.
   */
  lingerMs: number
  /** Pause before the first retry of a failed batch. */
  retryBaseMs: number
  /** Maximum pause before a retry of a failed batch. */
  retryCapMs: number
}

/** Thrown by a handler whose own store is behind its position: the partition begins again at the result of `begin`. */
export class BeginAnew extends Error {
  override readonly name = 'BeginAnew'
}

/** The position of a consumer in a partition: the next offset to read, and a text of the consumer ('' for none). */
export type Place = { offset: number; note: string }

/** The state of a partition when a consumer begins with it. */
export type Beginning = {
  /** The position of its last owner; undefined if it was never begun. */
  place: Place | undefined
  /** The first offset that the log has. */
  start: number
  /** Commits an intermediate position: the log is needed from its offset on. */
  keep(place: Place): Promise<void>
  /** Aborts when the partition is taken away. */
  signal: AbortSignal
}

export type ConsumerDeps = {
  /** Name of the consumer in logs and metrics. */
  name: string
  reader: Pick<LogReader, 'partitions' | 'read' | 'wait' | 'starts' | 'ends' | 'incarnations'>
  /** The journal of this consumer; the owner of a partition owns its position. */
  journal: Pick<ConsumerJournal, 'positions' | 'places' | 'openEnds' | 'notes' | 'commit' | 'saw' | 'rewind'>
  /**
   * Handles records of a partition, and resolves when the result is durable. Records of a partition come in order, one
   * batch after the other. After a failure or a crash the same records come again, in batches of other sizes. So the
   * handler must recognize handled records by their positions. The flag `atEnd` is true if the log ended with these
   * records when they were read, so that they end with a complete group of a producer. Resolves to the text to store
   * with the position. Rejects with `BeginAnew` if these are not the next records any more.
   */
  handle(records: readonly LogRecord[], note: string, atEnd: boolean): Promise<string>
  /**
   * Called when a partition is given, when the handler requests it, and when records were trimmed before they were
   * read. Brings the state of the consumer to a position, and resolves to that position, from which records are read.
   * Ends soon after the signal aborts. Without this function, the consumer reads from its stored position, or from the
   * first remaining offset.
   */
  begin?(partition: number, beginning: Beginning): Promise<Place>
  /** Called when a partition was taken away and none of its records is being handled; frees its state in memory. */
  end?(partition: number): Promise<void> | void
  logger: Logger
  metrics: Metrics
  settings?: Partial<ConsumerSettings>
}

/** A consumer of a log, which gains and loses partitions. Its state in memory is per partition. */
export type Consumer = {
  /** Takes over partitions where their last owner stopped. Partitions that it already owns are unchanged. */
  give(partitions: readonly number[]): void
  /**
   * Takes partitions away: their current work ends first, and no more begins. Resolves when their positions are
   * committed and nothing of them is in memory. From then on another consumer may own them.
   */
  take(partitions: readonly number[]): Promise<void>
  /**
   * The lowest offset of each partition that is still needed, whether owned or not. Partitions that were never begun
   * are absent.
   */
  needed(): LogPosition[]
  /** Resolves when all records of the owned partitions that were in the log at the call are handled and committed. */
  idle(): Promise<void>
  /** Takes every partition away and ends. */
  stop(): Promise<void>
}
