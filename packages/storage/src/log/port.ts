import type { IncarnationRange } from './incarnations.ts'

/**
 * The log: an ordered, durable record of accepted requests, split into partitions. One `Log` is one stream (`requests`,
 * `deliveries`). All entries of one key (a workspace) go to one partition and keep their order, unless an entry names
 * another partition. Adapters: SQLite (embedded), Kafka (remote). Offsets ascend within a partition. They need not be
 * dense: a reader continues after the last record that it got.
 */
export type LogEntry = {
  /** The workspace ID, which decides the partition. */
  key: string
  /** The partition of an entry whose workspace is spread over several; derived from the key unless given. */
  partition?: number | undefined
  /** Small text kept beside the body, JSON by convention; at most 64 KiB. */
  meta: string
  /** The payload, which is read back byte for byte. */
  body: Uint8Array
  /** False for a record without recipients, which readers of addressed records may skip. True unless given. */
  addressed?: boolean
}

export type LogPosition = { partition: number; offset: number }

export type LogRecord = Omit<LogEntry, 'partition'> & {
  partition: number
  offset: number
  /**
   * The opening of the log for writing in which the record was appended; '' in logs from before incarnations existed.
   */
  incarnation: string
  /** Time of the append, epoch ms. */
  time: number
}

export type PartitionStats = {
  partition: number
  /** First remaining offset. */
  first: number
  /** Next offset to be written. */
  next: number
}

export type LogStats = {
  partitions: PartitionStats[]
  /** Bytes on disk; 0 for a log that several processes append to, whose bytes are not counted. */
  bytes: number
}

/** Identifies a producer's group, so that the log stores it once and only from one process. */
export type ProducerStamp = {
  producer: string
  /** Returned by `beginEpoch`. */
  epoch: number
  /** Increases with each group of a producer in a partition; a new epoch may begin with any value. */
  sequence: number
  /** Stored with the sequence, at most 1 KiB: the state that the producer needs to continue. */
  note?: string
}

/** The last group of a producer in a partition. */
export type ProducerSequence = { partition: number; epoch: number; sequence: number; note: string }

export interface LogWriter {
  readonly partitions: number
  /**
   * Appends one entry; resolves when it is on disk (after the sync that covers it), or on other machines. Rejects if
   * the disk fails: then nothing of the entry will be read. If another machine did not respond, the entry may or may
   * not be stored. Calls made while a sync runs share the next one (group commit). At most `maxQueuedBytes` wait;
   * beyond that it rejects with LogOverloaded.
   */
  append(entry: LogEntry): Promise<LogPosition>
  /**
   * Appends entries of one partition together: in one commit, adjacent and in their order, or not at all. Resolves to
   * the position of the first. With a stamp, its sequence is in the same commit. A sequence up to the last one of its
   * epoch is already stored, and resolves to undefined without writing. Any epoch but the producer's latest rejects
   * with StaleProducer. Rejects with RangeError for no entries, or entries of several partitions.
   */
  appendGroup(entries: readonly LogEntry[], stamp?: ProducerStamp): Promise<LogPosition | undefined>
  /**
   * Begins a producer's next epoch, durably: its predecessors can append no more. Resolves to the epoch. Read the last
   * sequences afterwards.
   */
  beginEpoch(producer: string): Promise<number>
  /**
   * The last sequence of a producer in each partition that it has appended to, even if the records were trimmed since.
   */
  lastSequences(producer: string): Promise<ProducerSequence[]>
  /** Bytes that wait for their sync. */
  queuedBytes(): number
  /** See `LogAppender`. */
  isUnsure?(): boolean
  /**
   * Deletes segments whose records are all below `before[partition]` for their partition. If it is called regularly, a
   * record is deleted late by at most the age of a segment, even without further appends.
   */
  trim(before: readonly LogPosition[]): Promise<void>
  stats(): Promise<LogStats>
  /** Waits for earlier appends, then releases the files. */
  close(): Promise<void>
}

/** Appends to a log next to its writer, without sequences of producers or trimming. */
export interface LogAppender {
  /** Like `append` of the writer. */
  append(entry: LogEntry): Promise<LogPosition>
  /** Like `appendGroup` of the writer, without a stamp. */
  appendGroup(entries: readonly LogEntry[]): Promise<LogPosition | undefined>
  /** Resolves if the log responds; rejects if it cannot be reached. */
  check(): Promise<void>
  /**
   * Whether a rejected entry is still being sent, or was when the appender was closed, so that it may still be stored.
   * Never true of a log without this method.
   */
  isUnsure?(): boolean
  /** Waits for earlier appends, then releases its resources. */
  close(): Promise<void>
}

export interface LogReader {
  readonly partitions: number
  /**
   * Records of a partition from `offset` on, in order, at most `maxBytes` of body (at least one record if there is
   * any). Empty if there are no new records. A record is returned only after it is durable. Begins at the first
   * remaining offset if `offset` was trimmed. With `addressed`, a run of other records may be reduced to its last one,
   * without meta and body. The caller owns the memory of bodies, and may free it when none of them is read any more.
   */
  read(partition: number, offset: number, maxBytes: number, which?: 'addressed'): Promise<LogRecord[]>
  /**
   * The records at some positions, for references: for the first positions, as many as fit into `maxBytes` of body (at
   * least one; all without it). A record is undefined if the log no longer has it. Neighbors share a read, so ask for
   * positions in their order.
   */
  find(places: readonly LogPosition[], maxBytes?: number): Promise<(LogRecord | undefined)[]>
  /**
   * Resolves when a partition in `from` has a record at or after the offset there, immediately if it already has one.
   * Also resolves when `signal` aborts or the reader is closed. Rejects if the log cannot be read.
   */
  wait(from: readonly LogPosition[], signal: AbortSignal): Promise<void>
  /** Hints that records were appended: waiters check immediately. */
  notice(): void
  /** The offset of the newest durable record + 1, per partition. */
  ends(): Promise<number[]>
  /** First remaining offset, per partition. */
  starts(): Promise<number[]>
  /**
   * The ranges of a partition's incarnations that remain, ascending. Every opening of a log for writing begins an
   * incarnation with its first append, whose name sorts after all earlier ones. So if a restored, lost or cloned log
   * assigns an offset again, it does so in another incarnation.
   */
  incarnations(partition: number): Promise<IncarnationRange[]>
  /**
   * Returns, for each partition, the first offset that was written after `time` (epoch ms). The result may be too low
   * but never too high, so all records before it are older. For `trim`.
   */
  positionsBefore(time: number): Promise<LogPosition[]>
  close(): void
}

/** Thrown by `append` if more entries wait than the writer allows. The caller responds with 429 or 503. */
export class LogOverloaded extends Error {
  constructor() {
    super('The log has more waiting than it may hold')
    this.name = 'LogOverloaded'
  }
}

/** Thrown by `append` if the disk is full or fails to sync, or the machines of the log do not respond. */
export class LogUnavailable extends Error {
  constructor(cause: unknown) {
    super('The log cannot be written', { cause })
    this.name = 'LogUnavailable'
  }
}

/** Thrown by `appendGroup` if the producer has begun a later epoch. */
export class StaleProducer extends Error {
  constructor(producer: string, epoch: number) {
    super(`Epoch ${epoch} of the producer ${producer} is over`)
    this.name = 'StaleProducer'
  }
}
