/**
 * The log: an ordered, durable record of what was accepted, split into partitions. One `Log` is one stream
 * (`requests`, `deliveries`). Everything of one key (a workspace) lands in one partition and keeps its order.
 * Adapters: SQLite (embedded), Kafka (remote, later). Positions are dense per partition and start at 0.
 */
export type LogEntry = {
  /** Decides the partition: the workspace id. */
  key: string
  /** Small text kept beside the body, JSON by convention; at most 64 KiB. */
  meta: string
  /** The payload as it is to be read back, byte for byte. */
  body: Uint8Array
}

export type LogPosition = { partition: number; offset: number }

export type LogRecord = LogEntry & { partition: number; offset: number /** Epoch ms of the append. */; time: number }

export type PartitionStats = {
  partition: number /** First offset still held. */
  first: number /** Next offset to be written. */
  next: number
}

export type LogStats = { partitions: PartitionStats[] /** Bytes held on disk. */; bytes: number }

export interface LogWriter {
  readonly partitions: number
  /**
   * Appends one entry; resolves when it is on disk (after the sync that covers it). Rejects when the disk refuses: then
   * nothing of the entry will be read. Calls made while a sync runs share the next one (group commit).
   * At most `maxQueuedBytes` wait; beyond it rejects with LogOverloaded.
   */
  append(entry: LogEntry): Promise<LogPosition>
  /** Bytes that wait for their sync. */
  queuedBytes(): number
  /** Drops whole segments whose every record lies below `before[partition]` for its partition. */
  trim(before: readonly LogPosition[]): Promise<void>
  stats(): Promise<LogStats>
  /** Waits for what was appended, then releases the files. */
  close(): Promise<void>
}

export interface LogReader {
  readonly partitions: number
  /**
   * Records of a partition from `offset` on, in order, at most `maxBytes` of body (at least one record if there is
   * any). Empty when there is nothing new. Sees a record only after it is durable. Begins at the first offset still
   * held when `offset` was trimmed.
   */
  read(partition: number, offset: number, maxBytes: number): LogRecord[]
  /** The offset of the newest durable record + 1, per partition. */
  ends(): number[]
  /** First offset still held, per partition. */
  starts(): number[]
  /** Grows with every durable record; cheap enough to ask before each look (microseconds). */
  changed(): number
  close(): void
}

/** Thrown by `append` when more waits than the writer may hold. The caller answers 429 or 503. */
export class LogOverloaded extends Error {
  constructor() {
    super('The log has more waiting than it may hold')
    this.name = 'LogOverloaded'
  }
}

/** Thrown by `append` when the disk has no room or refuses to sync. */
export class LogUnavailable extends Error {
  constructor(cause: unknown) {
    super('The log cannot be written', { cause })
    this.name = 'LogUnavailable'
  }
}

/** The partition of a key: stable for a given number of partitions (FNV-1a over UTF-16 code units). */
export const partitionOf = (key: string, partitions: number): number => {
  let hash = 0x811c9dc5
  for (let i = 0; i < key.length; i++) {
    hash ^= key.charCodeAt(i)
    hash = Math.imul(hash, 0x01000193)
  }
  return (hash >>> 0) % partitions
}
