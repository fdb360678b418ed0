import type { Db } from '@tributary/api-kit'
import type { FileRoundsTable } from '@tributary/storage'
import { type Selectable, sql } from 'kysely'
import type { PrivacyServices } from './services.ts'

/**
 * Minimum time between the starts of two rounds, ms. A round rewrites the database files for all requests that wait for
 * it. So people are removed from files well within 24 hours, and a table is not rewritten for each request.
 */
export const roundMs = 6 * 3_600_000
/** Pause after the first failed attempt of a round, ms. The pause doubles with each failure. */
const retryMs = 10 * 60_000

type Round = Selectable<FileRoundsTable>

/**
 * Reads the privacy requests that are complete except for the logs. Data of their users may still be in the files of
 * the database.
 */
const readPending = async (db: Db): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select r.id from privacy_requests r
    where r.files_time is null and exists (select from privacy_places p where p.request_id = r.id)
      and not exists (select from privacy_places p
        where p.request_id = r.id and p.place <> 'logs' and p.state <> 'done')`.execute(db)
  return rows.map(({ id }) => id)
}

/** Reads the newest round; undefined if there was none. */
export const readFileRound = (db: Db): Promise<Round | undefined> =>
  db.selectFrom('file_rounds').selectAll().orderBy('start_time', 'desc').limit(1).executeTakeFirst()

const isRecent = ({ start_time }: Round, now: number): boolean => Math.abs(now - start_time.getTime()) < roundMs

/** Starts a round for all requests that wait for one; returns undefined if no request waits. */
const beginRound = async (db: Db, now: number): Promise<Round | undefined> => {
  const pending = await readPending(db)
  if (pending.length === 0) return undefined
  const time = new Date(now)
  return db.transaction().execute(async (tx) => {
    await tx.deleteFrom('file_rounds').execute()
    await tx.updateTable('privacy_requests').set({ files_round: time }).where('id', 'in', pending).execute()
    return await tx
      .insertInto('file_rounds')
      .values({ start_time: time, next_time: time })
      .returningAll()
      .executeTakeFirstOrThrow()
  })
}

/**
 * Returns the round to run now: a new round, or an unfinished one whose retry is due. Undefined if none is to be run.
 */
const currentRound = async (db: Db, now: number): Promise<Round | undefined> => {
  const round = await readFileRound(db)
  if (round === undefined || !isRecent(round, now)) return beginRound(db, now)
  return round.end_time === null && round.next_time.getTime() <= now ? round : undefined
}

export type RemoveFromFiles = (signal: AbortSignal) => Promise<void>

/**
 * Creates the function that rewrites the files of an embedded database, once for all requests that are complete
 * elsewhere. The files then contain no data of the people of these requests. Call the function each minute. It does
 * nothing without `rewriteFiles`. Rounds start at least six hours apart. A failed attempt repeats only the remaining
 * tables, at intervals that double from ten minutes. If the process ends during an attempt, this also counts as a
 * failure.
 */
export const createRemoveFromFiles =
  ({
    db,
    rewriteFiles,
    clock,
    logger,
  }: Pick<PrivacyServices, 'db' | 'rewriteFiles' | 'clock' | 'logger'>): RemoveFromFiles =>
  async (signal) => {
    if (rewriteFiles === undefined) return
    const round = await currentRound(db, clock())
    if (round === undefined) return
    const { start_time, done_tables, tries } = round
    const ofRound = db.updateTable('file_rounds').where('start_time', '=', start_time)
    const requests = db
      .updateTable('privacy_requests')
      .where('files_round', '=', start_time)
      .where('files_time', 'is', null)
    const next_time = new Date(clock() + retryMs * 2 ** tries)
    await ofRound.set({ tries: tries + 1, next_time }).execute()
    const onDone = async (table: string): Promise<void> => {
      await ofRound.set({ done_tables: sql`array_append(done_tables, ${table})` }).execute()
    }
    const { left } = await rewriteFiles(signal, { done: new Set(done_tables), onDone }).catch((error: unknown) => {
      signal.throwIfAborted()
      // After a failure such as a full disk, the tables must not be rewritten each minute.
      return { left: [`The files could not be rewritten: ${error instanceof Error ? error.message : String(error)}`] }
    })
    if (left.length === 0) {
      const time = new Date(clock())
      await requests.set({ files_time: time, files_error: '' }).execute()
      await ofRound.set({ end_time: time }).execute()
      return
    }
    logger.warn({ left, next_time }, 'files of the database could not be rewritten and are tried again')
    await requests.set({ files_error: left.join('; ').slice(0, 500) }).execute()
  }
