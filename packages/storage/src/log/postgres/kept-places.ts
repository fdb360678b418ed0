import type { Logger } from '@tributary/kernel'
import type { Relational } from '../../relational/open.ts'
import { openJournal } from '../file-journal/journal.ts'
import type { ConsumerJournal, JournalPlace } from '../journal-port.ts'

/** An earlier position of a consumer, with its note ('' for none). */
export type KeptPlace = JournalPlace & { partition: number; note: string }

type Pool = { pool: Pick<Relational['pool'], 'query'> }

const keepText = `
insert into kept_places (consumer, partition, next, incarnation, note)
select $1, * from unnest($2::integer[], $3::bigint[], $4::text[], $5::text[])
on conflict (consumer, partition) do update
  set next = excluded.next, incarnation = excluded.incarnation, note = excluded.note`

/** The positions of a consumer whose journal was in a data folder, from about a second before the folder was lost. */
export const readKeptPlaces = async ({ pool }: Pool, consumer: string): Promise<KeptPlace[]> => {
  const { rows } = await pool.query<{ partition: number; next: string; incarnation: string | null; note: string }>(
    'select partition, next::text, incarnation, note from kept_places where consumer = $1 order by partition',
    [consumer],
  )
  return rows.map(({ partition, next, incarnation, note }) => ({
    partition,
    offset: Number(next),
    incarnation: incarnation ?? undefined,
    note,
  }))
}

/**
 * Saves the positions of a journal in a data folder to PostgreSQL, every `everyMs` and once more at `stop`. The saved
 * positions are never ahead of the journal. While PostgreSQL is down, the last ones stay.
 */
export const keepPlaces = (
  journal: Pick<ConsumerJournal, 'places' | 'notes'>,
  {
    pool,
    consumer,
    logger,
    everyMs = 1000,
  }: Pool & { consumer: string; logger: Pick<Logger, 'warn'>; everyMs?: number },
): { stop(): Promise<void> } => {
  const written = new Map<number, string>()
  let isAway = false
  const write = async (): Promise<void> => {
    const notes = journal.notes()
    const changed = [...journal.places()].flatMap(([partition, { offset, incarnation }]) => {
      const row = { partition, offset, incarnation: incarnation ?? null, note: notes.get(partition) ?? '' }
      const text = JSON.stringify(row)
      return written.get(partition) === text ? [] : [{ ...row, text }]
    })
    if (changed.length === 0) return
    try {
      await pool.query(keepText, [
        consumer,
        changed.map(({ partition }) => partition),
        changed.map(({ offset }) => offset),
        changed.map(({ incarnation }) => incarnation),
        changed.map(({ note }) => note),
      ])
      for (const { partition, text } of changed) written.set(partition, text)
      isAway = false
    } catch (error) {
      if (!isAway) logger.warn({ err: error, consumer }, 'the copy of positions in PostgreSQL is not up to date')
      isAway = true
    }
  }
  let writing: Promise<void> | undefined
  const timer = setInterval(() => {
    writing ??= write().finally(() => {
      writing = undefined
    })
  }, everyMs)
  return {
    async stop() {
      clearInterval(timer)
      await writing
      await write()
    },
  }
}

/**
 * Sets the journal in a file to these positions, whatever it had before; durable when it returns. Its consumer must not
 * run.
 */
export const setJournalPlaces = (file: string, places: readonly KeptPlace[]): void => {
  const journal = openJournal({ file, filterBytes: 1024 * 1024 })
  try {
    for (const { partition, ...place } of places) journal.rewind(partition, place)
    journal.commit(new Map(), new Map(places.map(({ partition, note }) => [partition, note])))
  } finally {
    journal.close()
  }
}
