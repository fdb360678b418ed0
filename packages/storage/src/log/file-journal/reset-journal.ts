import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { PlaceToReset } from '../journal-port.ts'
import { openJournal } from './journal.ts'

/** The positions in a journal, by partition, whether or not its consumer runs; undefined if there is no journal yet. */
export const journalFilePlaces = (file: string): { partition: number; offset: number }[] | undefined => {
  if (!existsSync(file)) return undefined
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  try {
    const rows = db.prepare('select partition, next from position order by partition').all()
    return rows.map(({ partition, next }) => ({ partition: Number(partition), offset: Number(next) }))
  } finally {
    db.close()
  }
}

/**
 * Sets the positions of a journal whose consumer does not run, in one transaction. Ranges that begin after a position
 * are removed.
 */
export const resetJournalFile = (file: string, places: readonly PlaceToReset[]): void => {
  // Migrates the file to this version.
  openJournal({ file, filterBytes: 1024 * 1024 }).close()
  const db = new DatabaseSync(file, { timeout: 5000 })
  try {
    db.exec('pragma synchronous = full')
    const setPlace = db.prepare('update position set next = ?, incarnation = ? where partition = ?')
    const noteOf = db.prepare('select text from note where partition = ?')
    const setNote = db.prepare(
      'insert into note values (?, ?) on conflict (partition) do update set text = excluded.text',
    )
    const dropRanges = db.prepare('delete from open_range where partition = ? and "to" > ?')
    db.exec('begin immediate')
    for (const { partition, offset, incarnation, note } of places) {
      setPlace.run(offset, incarnation ?? null, partition)
      setNote.run(partition, note(String(noteOf.get(partition)?.text ?? '')))
      dropRanges.run(partition, offset)
    }
    db.exec('commit')
  } finally {
    // Rolls back a transaction that is still open.
    db.close()
  }
}
