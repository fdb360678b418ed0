import type { LogRecord } from './port.ts'

/**
 * The durable state of one consumer of a log: its positions, the ranges it has begun, and the message ids that those
 * ranges carried. One per consumer group, written by one thread.
 */
export type JournalRange = {
  partition: number
  /** First offset of the range. */
  from: number
  /** Offset behind its last record. */
  to: number
  /** The deduplication token its insert carries; repeated to the letter after a crash. */
  token: string
}

/** An offset behind a record, and the incarnation of that record; undefined where the record was never read. */
export type JournalPlace = { offset: number; incarnation: string | undefined }

/** Where a consumer that does not run is to go on in a partition, and the note that is made of the one beside it ('' for none). */
export type PlaceToReset = JournalPlace & { partition: number; note(before: string): string }

/** A message id as it is remembered: 16 bytes of hash over source and id, and the position that carried it first. */
export type SeenId = {
  hash: Uint8Array
  partition: number
  offset: number
  index: number
  /** Only this journal has it: it cannot be found again in the event store. */
  unstored?: true
}

/** Offsets by partition. */
type Positions = ReadonlyMap<number, number>

/**
 * Reads are synchronous, from memory or a file of the calling thread. Writes say when they are durable: on return in a
 * file, by their promise in a store elsewhere. Writes are carried out in the order of their calls.
 */
export interface ConsumerJournal {
  /** The next offset to process, per partition; absent for one never committed. */
  positions(): Map<number, number>
  /** The same, with the incarnation of the last record that lies before. */
  places(): Map<number, JournalPlace>
  /** The ends of ranges begun and not yet committed, in order, with the incarnation of the last record of each. */
  openEnds(): (JournalPlace & { partition: number })[]
  /**
   * Notes the incarnations of records, as they are read, in their order, for the ranges and positions that are begun
   * and committed. Records before the newest noted one change nothing.
   */
  saw(records: readonly Pick<LogRecord, 'partition' | 'offset' | 'incarnation'>[]): void
  /** Sets the position of a partition to a place and forgets its open ranges that do not lie before; durable when done. */
  rewind(partition: number, place: JournalPlace): Promise<void> | void
  /** Ranges begun and not yet committed, in order: after a crash exactly these are repeated. */
  openRanges(): JournalRange[]
  /**
   * Where an id was seen first within the window, or undefined. Exact: the memory filter only spares look-ups.
   * An id recorded by an open range is found, too, so a repeated range recognises its own.
   */
  firstSeen(hash: Uint8Array): { partition: number; offset: number; index: number } | undefined
  /**
   * Writes the ranges of one insert (all with the same token, one per partition it draws from) and their new ids; both
   * are durable when it is done. When it fails in a store elsewhere, the ranges may still be written. It must be called
   * again with the same until it succeeds, before any other range is begun.
   */
  begin(ranges: readonly JournalRange[], ids: readonly SeenId[], now: number): Promise<void> | void
  /**
   * Moves positions (partition → next offset) and forgets the ranges that end at or below them; durable when done. Notes
   * (partition → text) are kept beside them in the same transaction.
   */
  commit(positions: Positions, notes?: ReadonlyMap<number, string>): Promise<void> | void
  /** The last notes that were kept beside positions, per partition. */
  notes(): Map<number, string>
  /**
   * True when this journal had no range and no position at its opening: it is new or was lost. Unless the consumer is
   * new, too, ids have to be refilled with `remember` before anything is processed.
   */
  readonly fresh: boolean
  /**
   * Only of a journal that is kept apart from its ids, which are in a file that may be lost, be that of another process, or
   * of before. While `lacksIds` nothing may be processed: ids of the window have to be remembered, and then `idsComplete` called.
   */
  readonly apart?: {
    lacksIds(): boolean
    /** Ids that only this journal has, within the window, in no order. */
    unstoredIds(): Promise<SeenId[]>
    /** Declares the ids of the file complete from now on. */
    idsComplete(): Promise<void>
  }
  /** Records ids seen at `now` (epoch ms) without a range: refills a journal that was lost, from the event store. */
  remember(ids: readonly SeenId[], now: number): void
  /** Forgets id buckets older than the window (milliseconds). */
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
