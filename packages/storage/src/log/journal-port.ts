import type { LogRecord } from './port.ts'

/**
 * What one consumer of a log knows durably: how far it is, which ranges it has begun, and which message ids those
 * ranges carried. One file per consumer group, written by one thread.
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

/** An offset behind a record, and the incarnation of that record; undefined where nobody has seen it. */
export type JournalPlace = { offset: number; incarnation: string | undefined }

/** A message id as it is remembered: 16 bytes of hash over source and id, and the position that carried it first. */
export type SeenId = { hash: Uint8Array; partition: number; offset: number; index: number }

export interface ConsumerJournal {
  /** The next offset to process, per partition; absent for one never committed. */
  positions(): Map<number, number>
  /** The same, with the incarnation of the last record that lies before. */
  places(): Map<number, JournalPlace>
  /** The ends of ranges begun and not yet committed, in order, with the incarnation of the last record of each. */
  openEnds(): (JournalPlace & { partition: number })[]
  /**
   * Notes of which incarnation records are, as they are read, in their order: what is begun and committed carries it.
   * Records of before the newest that was noted say nothing new.
   */
  saw(records: readonly Pick<LogRecord, 'partition' | 'offset' | 'incarnation'>[]): void
  /** Sets the position of a partition to a place and forgets its open ranges that do not lie before; durable on return. */
  rewind(partition: number, place: JournalPlace): void
  /** Ranges begun and not yet committed, in order: after a crash exactly these are repeated. */
  openRanges(): JournalRange[]
  /**
   * Where an id was seen first within the window, or undefined. Exact: the memory filter only spares look-ups.
   * An id recorded by an open range is found, too, so a repeated range recognises its own.
   */
  firstSeen(hash: Uint8Array): { partition: number; offset: number; index: number } | undefined
  /**
   * Writes the ranges of one insert (all with the same token, one per partition it draws from) and their new ids in one
   * durable transaction.
   */
  begin(ranges: readonly JournalRange[], ids: readonly SeenId[], now: number): void
  /**
   * Moves positions (partition → next offset) and forgets the ranges that end at or below them; durable on return. Notes
   * (partition → text) are kept beside them in the same transaction.
   */
  commit(positions: ReadonlyMap<number, number>, notes?: ReadonlyMap<number, string>): void
  /** What was kept beside positions last, per partition. */
  notes(): Map<number, string>
  /**
   * True when this journal had no range and no position at its opening: it is new or was lost. Unless the consumer is
   * new, too, ids have to be refilled with `remember` before anything is processed.
   */
  readonly fresh: boolean
  /** Records ids seen at `now` (epoch ms) without a range: refills a journal that was lost, from the event store. */
  remember(ids: readonly SeenId[], now: number): void
  /** Forgets id buckets older than the window (milliseconds). */
  expire(now: number): void
  close(): void
}
