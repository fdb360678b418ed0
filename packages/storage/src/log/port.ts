import type { IncarnationRange } from './incarnations.ts'

/**
 * The log: an ordered, durable record of what was accepted, split into partitions. One `Log` is one stream (`requests`,
 * `deliveries`). Everything of one key (a workspace) lands in one partition and keeps its order, unless an entry names
 * another. Adapters: SQLite (embedded), Kafka (remote). Offsets ascend within a partition. They need not be dense: a
 * reader goes on behind the last record that it got.
 */
export type LogEntry = {
  /** Decides the partition: the workspace id. */
  key: string
  /** Where it goes, of a workspace that is spread over several; where its key says unless given. */
  partition?: number | undefined
  /** Small text kept beside the body, JSON by convention; at most 64 KiB. */
  meta: string
  /** The payload as it is to be read back, byte for byte. */
  body: Uint8Array
  /** False for a record without recipients: readers of addressed records need not get it. True unless given. */
  addressed?: boolean
}

export type LogPosition = { partition: number; offset: number }

export type LogRecord = Omit<LogEntry, 'partition'> & {
  partition: number
  offset: number
  /** Which opening of the log for writing it came in, with its first append; '' in logs of before there were any. */
  incarnation: string
  /** Epoch ms of the append. */
  time: number
}

export type PartitionStats = {
  partition: number /** First offset still held. */
  first: number /** Next offset to be written. */
  next: number
}

export type LogStats = {
  partitions: PartitionStats[]
  /** Bytes held on disk; 0 for a log that several processes append to, which are not counted. */
  bytes: number
}

/** The identity of a producer's group, so that the log takes it once and from one process only. */
export type ProducerStamp = {
  producer: string
  /** Given by `beginEpoch`. */
  epoch: number
  /** Rises with each group of a producer in a partition; a new epoch may begin anywhere. */
  sequence: number
  /** Kept beside the sequence, at most 1 KiB: the state that the producer needs to go on behind it. */
  note?: string
}

/** The last group of a producer in a partition. */
export type ProducerSequence = { partition: number; epoch: number; sequence: number; note: string }

export interface LogWriter {
  readonly partitions: number
  /**
   * Appends one entry; resolves when it is on disk (after the sync that covers it), or on other machines. Rejects when
   * the disk refuses: then nothing of the entry will be read. When another machine did not answer, the entry may or may
   * not be stored. Calls made while a sync runs share the next one (group commit). At most `maxQueuedBytes` wait;
   * beyond it rejects with LogOverloaded.
   */
  append(entry: LogEntry): Promise<LogPosition>
  /**
   * Appends entries of one partition as one: in one commit, side by side and in their order, or none of them. Resolves
   * to the position of the first. With a stamp, its sequence is in the same commit. A sequence at or below the last of
   * its epoch is stored already, and resolves to undefined without writing. Any epoch but the producer's latest rejects
   * with StaleProducer. Rejects with RangeError for no entries, or entries of several partitions.
   */
  appendGroup(entries: readonly LogEntry[], stamp?: ProducerStamp): Promise<LogPosition | undefined>
  /**
   * Begins a producer's next epoch, durably: its predecessors can append no more. Resolves to the epoch. Read the last
   * sequences afterwards.
   */
  beginEpoch(producer: string): Promise<number>
  /** The last sequence of a producer in each partition that it has appended to, whatever was trimmed since. */
  lastSequences(producer: string): Promise<ProducerSequence[]>
  /** Bytes that wait for their sync. */
  queuedBytes(): number
  /** As of the appender. */
  isUnsure?(): boolean
  /**
   * Drops whole segments whose every record lies below `before[partition]` for its partition. Called again and again, it
   * drops a record at most the age of a segment later than it could, whether more is appended or not.
   */
  trim(before: readonly LogPosition[]): Promise<void>
  stats(): Promise<LogStats>
  /** Waits for earlier appends, then releases the files. */
  close(): Promise<void>
}

/** Appends to a log beside its writer, without sequences of producers or trimming. */
export interface LogAppender {
  /** As `append` of the writer. */
  append(entry: LogEntry): Promise<LogPosition>
  /** As `appendGroup` of the writer, without a stamp. */
  appendGroup(entries: readonly LogEntry[]): Promise<LogPosition | undefined>
  /** Resolves when the log answers; rejects when it cannot be reached. */
  check(): Promise<void>
  /**
   * Whether something that was refused is still being sent, or was when it was closed, and so may come to be in the log. Never of a log that does not
   * have this.
   */
  isUnsure?(): boolean
  /** Waits for earlier appends, then releases its resources. */
  close(): Promise<void>
}

export interface LogReader {
  readonly partitions: number
  /**
   * Records of a partition from `offset` on, in order, at most `maxBytes` of body (at least one record if there is
   * any). Empty when there is nothing new. Sees a record only after it is durable. Begins at the first offset still
   * held when `offset` was trimmed. With `addressed`, a run of other records may be reduced to its last one, with
   * neither meta nor body. The memory of bodies is the caller's, who may give it back when none of them is read any
   * more.
   */
  read(partition: number, offset: number, maxBytes: number, which?: 'addressed'): Promise<LogRecord[]>
  /**
   * The records at some positions, for references: for the first of them, as many as fit into `maxBytes` of body (at
   * least one; all without it). A record is undefined where the log no longer holds it. Neighbors share a read, so ask
   * for positions in their order.
   */
  find(places: readonly LogPosition[], maxBytes?: number): Promise<(LogRecord | undefined)[]>
  /**
   * Resolves when a partition in `from` has a record at or after the offset there, immediately when it has already.
   * Also resolves when `signal` aborts or the reader is closed. Rejects when the log cannot be read.
   */
  wait(from: readonly LogPosition[], signal: AbortSignal): Promise<void>
  /** A hint that something was appended: waiters check immediately. */
  notice(): void
  /** The offset of the newest durable record + 1, per partition. */
  ends(): Promise<number[]>
  /** First offset still held, per partition. */
  starts(): Promise<number[]>
  /**
   * The ranges of a partition's incarnations that are still held, ascending. Every opening of a log for writing begins
   * an incarnation with its first append, whose name sorts behind all before. So an offset that a restored, lost or
   * copied log gives again is one of another incarnation.
   */
  incarnations(partition: number): Promise<IncarnationRange[]>
  /**
   * First offsets written after `time` (epoch ms), per partition, never too high: records below are older. For `trim`.
   */
  positionsBefore(time: number): Promise<LogPosition[]>
  close(): void
}

/** Thrown by `append` when more waits than the writer may hold. The caller answers 429 or 503. */
export class LogOverloaded extends Error {
  constructor() {
    super('The log has more waiting than it may hold')
    this.name = 'LogOverloaded'
  }
}

/** Thrown by `append` when the disk has no room or refuses to sync, or the machines that hold the log do not answer. */
export class LogUnavailable extends Error {
  constructor(cause: unknown) {
    super('The log cannot be written', { cause })
    this.name = 'LogUnavailable'
  }
}

/** Thrown by `appendGroup` when the producer has begun a later epoch. */
export class StaleProducer extends Error {
  constructor(producer: string, epoch: number) {
    super(`Epoch ${epoch} of the producer ${producer} is over`)
    this.name = 'StaleProducer'
  }
}

/** The partition that an entry goes to. Throws RangeError for one that the log does not have. */
export const partitionOfEntry = ({ key, partition }: LogEntry, partitions: number): number => {
  if (partition === undefined) return partitionOf(key, partitions)
  if (partition >= 0 && partition < partitions) return partition
  throw new RangeError(`There is no partition ${partition}`)
}

/** How many partitions the logs of the product have. */
export const logPartitions = 64

/** The partition of a key: stable for a given number of partitions (FNV-1a over UTF-16 code units). */
export const partitionOf = (key: string, partitions: number): number => {
  let hash = 0x811c9dc5
  for (let i = 0; i < key.length; i++) {
    hash ^= key.charCodeAt(i)
    hash = Math.imul(hash, 0x01000193)
  }
  return (hash >>> 0) % partitions
}
