import type { LogRecord } from './port.ts'

/**
 * The durable state of one consumer of a log: its positions, the ranges that it has begun, and the message IDs of those
 * ranges. Each consumer has one, which a single thread writes.
 */
export type JournalRange = {
  partition: number
  /** First offset of the range. */
  from: number
  /** Offset after its last record. */
  to: number
  /** The deduplication token of its insert; a repetition after a crash uses the same one. */
  token: string
}

/** An offset, with the incarnation of the record before it; undefined if that record was never read. */
export type JournalPlace = { offset: number; incarnation: string | undefined }

/**
 * The new position of a stopped consumer in a partition, and the function that makes its note from the existing note
 * ('' for none).
 */
export type PlaceToReset = JournalPlace & { partition: number; note(before: string): string }

/** A stored message ID: a 16-byte hash of source and ID, and the position where it was first seen. */
export type SeenId = {
  hash: Uint8Array
  partition: number
  offset: number
  index: number
  /** True if only this journal has the ID: the event store cannot return it. */
  unstored?: true
}

/** Offsets by partition. */
type Positions = ReadonlyMap<number, number>

/**
 * Reads are synchronous, from memory or a file in the calling thread. A write to a file is durable on return, a write
 * to a remote store when its promise resolves. Writes take effect in the order of their calls.
 */
export interface ConsumerJournal {
  /** The next offset to process, by partition; absent if never committed. */
  positions(): ReadonlyMap<number, number>
  /** The positions as in `positions`, each with the incarnation of the last record before it. */
  places(): Map<number, JournalPlace>
  /** The ends of ranges that are begun but not committed, in order, with the incarnation of the last record of each. */
  openEnds(): (JournalPlace & { partition: number })[]
  /**
   * Adds the incarnations of records as they are read, in their order, for later ranges and positions. Records before
   * the newest one have no effect.
   */
  saw(records: readonly Pick<LogRecord, 'partition' | 'offset' | 'incarnation'>[]): void
  /** Sets the position of a partition, and removes its open ranges that are not before it; durable when done. */
  rewind(partition: number, place: JournalPlace): Promise<void> | void
  /** Ranges that are begun but not committed, in order: after a crash exactly these are repeated. */
  openRanges(): JournalRange[]
  /**
   * Where an ID was first seen within the window, or undefined. Exact: filters in memory only avoid look-ups. IDs of
   * open ranges are included, so a repeated range recognizes its own IDs.
   */
  firstSeen(hash: Uint8Array): { partition: number; offset: number; index: number } | undefined
  /**
   * Writes the ranges of one insert (all with the same token, one per partition) and their new IDs; both are durable
   * when it is done. If it fails in a remote store, the ranges may still be written. Then it must be called again with
   * the same values until it succeeds, before any other range is begun.
   */
  begin(ranges: readonly JournalRange[], ids: readonly SeenId[], now: number): Promise<void> | void
  /**
   * Advances positions (partition → next offset) and removes the ranges that end at or before them; durable when done.
   * Notes (partition → text) are stored with the positions in the same transaction.
   */
  commit(positions: Positions, notes?: ReadonlyMap<number, string>): Promise<void> | void
  /** The last stored notes, by partition. */
  notes(): ReadonlyMap<number, string>
  /**
   * True if this journal had no range and no position when it was opened: it is new or was lost. Unless the consumer is
   * new, too, IDs must be refilled with `remember` before anything is processed.
   */
  readonly fresh: boolean
  /**
   * Present only if the journal is stored separately from its IDs. The file of IDs may be lost, outdated, or belong to
   * another process. While `lacksIds` is true, nothing may be processed: the IDs of the window must be added with
   * `remember`, and then `idsComplete` called.
   */
  readonly apart?: {
    lacksIds(): boolean
    /** IDs within the window that only this journal has, in no order. */
    unstoredIds(): Promise<SeenId[]>
    /** Declares the IDs of the file complete from now on. */
    idsComplete(): Promise<void>
  }
  /** Adds IDs seen at `now` (epoch ms) without a range, to refill a lost journal from the event store. */
  remember(ids: readonly SeenId[], now: number): void
  /** Deletes ID buckets older than the window (milliseconds). */
  expire(now: number): Promise<void> | void
  close(): void
}

/** A journal in a file: writes are durable on return. */
export type FileJournal = Omit<ConsumerJournal, 'rewind' | 'begin' | 'commit' | 'expire'> & {
  rewind(partition: number, place: JournalPlace): void
  begin(ranges: readonly JournalRange[], ids: readonly SeenId[], now: number): void
  commit(positions: Positions, notes?: ReadonlyMap<number, string>): void
  expire(now: number): void
}
