import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { ProducerSequence, ProducerStamp } from '../port.ts'

/**
 * The state of a producer in a log: its last sequence in `partition`, or its latest epoch if `partition` is `ofAll`.
 */
export type ProducerRow = ProducerSequence & { name: string }

const ofAll = -1

/** The result of checking a stamped group. */
export type StampResult = 'new' | 'repeated' | 'stale'

export type Producers = {
  /** Checks a stamp against all earlier stamps; if it is new, the next `commit` stores it. */
  check(stamp: ProducerStamp, partition: number): StampResult
  beginEpoch(name: string): number
  /** Writes the state after `commit` into the current transaction, with a statement of `prepareProducers`. */
  write(insert: StatementSync): void
  /** Called when the transaction is on disk. */
  commit(): void
  /** Called when the transaction was rejected, so that its stamps are dropped. */
  rollback(): void
  sequences(name: string): ProducerSequence[]
  /** The committed state, with which a new segment begins. */
  rows(): ProducerRow[]
}

/**
 * The table of producers, which each segment has. Only the table of the newest segment counts, because a new segment
 * begins with the state of the previous one.
 */
export const producerTable = `create table if not exists producer (name text not null, partition integer not null,
  epoch integer not null, sequence integer not null, note text not null, primary key (name, partition)) without rowid`

/** The statement that writes a row. */
export const prepareProducers = (db: DatabaseSync): StatementSync =>
  db.prepare('insert or replace into producer (name, partition, epoch, sequence, note) values (?, ?, ?, ?, ?)')

/** Writes rows in the transaction under way. */
export const writeProducers = (insert: StatementSync, rows: Iterable<ProducerRow>): void => {
  for (const { name, partition, epoch, sequence, note } of rows) insert.run(name, partition, epoch, sequence, note)
}

/** The rows of a segment. */
export const readProducers = (db: DatabaseSync): ProducerRow[] =>
  db
    .prepare('select name, partition, epoch, sequence, note from producer')
    .all()
    .map(({ name, partition, epoch, sequence, note }) => ({
      name: String(name),
      partition: Number(partition),
      epoch: Number(epoch),
      sequence: Number(sequence),
      note: String(note),
    }))

const keyOf = (name: string, partition: number): string => `${partition} ${name}`

/**
 * Decides which stamped groups the log accepts by their producer sequence. It follows the state on disk. A rejected
 * transaction has no effect, even if an old segment still contains it.
 */
export const createProducers = (rows: readonly ProducerRow[]): Producers => {
  const committed = new Map(rows.map((row) => [keyOf(row.name, row.partition), row]))
  const draft = new Map<string, ProducerRow>()
  const find = (name: string, partition: number): ProducerRow | undefined => {
    const key = keyOf(name, partition)
    return draft.get(key) ?? committed.get(key)
  }
  const put = (row: ProducerRow): void => void draft.set(keyOf(row.name, row.partition), row)

  return {
    check({ producer: name, epoch, sequence, note = '' }, partition) {
      if (find(name, ofAll)?.epoch !== epoch) return 'stale'
      const last = find(name, partition)
      if (last?.epoch === epoch && sequence <= last.sequence) return 'repeated'
      put({ name, partition, epoch, sequence, note })
      return 'new'
    },
    beginEpoch(name) {
      const epoch = (find(name, ofAll)?.epoch ?? 0) + 1
      put({ name, partition: ofAll, epoch, sequence: 0, note: '' })
      return epoch
    },
    write: (insert) => writeProducers(insert, draft.values()),
    commit() {
      for (const [key, row] of draft) committed.set(key, row)
      draft.clear()
    },
    rollback: () => draft.clear(),
    sequences: (name) =>
      [...committed.values()]
        .filter((row) => row.name === name && row.partition !== ofAll)
        .map(({ partition, epoch, sequence, note }) => ({ partition, epoch, sequence, note }))
        .sort((a, b) => a.partition - b.partition),
    rows: () => [...committed.values()],
  }
}
