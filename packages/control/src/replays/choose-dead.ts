import { setImmediate } from 'node:timers/promises'
import type { Db } from '@tributary/api-kit'
import { holdsRows, type PipelineEvent, readStreamFacts } from '@tributary/contract'
import { AppError, type WorkShare } from '@tributary/kernel'
import { createFilterWork, type DeadScope, deadLetters, type EventScope } from '@tributary/replays'
import type { LogEntry, LogReader } from '@tributary/storage'
import { sql } from 'kysely'

/**
 * A dead letter with the indexes of its chosen events; null means all of them. `count` is the number of all events in
 * the dead letter.
 */
type ChosenRow = { id: string; count: number; indexes: number[] | null }

/**
 * The chosen dead letters: the number of their events, the range of their first attempts, and the number of unreadable
 * events.
 */
export type ChosenDead = {
  rows: readonly ChosenRow[]
  count: number
  unreadable: number
  first: Date | null
  last: Date | null
}

type Candidate = {
  id: string
  log_partition: number
  log_offset: string
  log_end: string | null
  event_indexes: number[]
  event_count: number
  first_time: Date
}

/** Number of dead letters that one query reads. */
const rowsAtOnce = 500

/** Whether a scope has conditions on single events. To check them, the events must be read. */
export const asksEvents = ({ event, eventType, filter }: EventScope): boolean =>
  event !== undefined || eventType !== undefined || filter.conditions.length > 0

/** Reads the dead letters in a scope, in the order of their records in the log. */
const candidatesOf = async function* (db: Db, scope: DeadScope): AsyncGenerator<Candidate> {
  let last: Candidate | undefined
  for (;;) {
    const after =
      last === undefined
        ? sql<boolean>`true`
        : sql<boolean>`(log_partition, log_offset, id) > (${last.log_partition}::integer, ${last.log_offset}::bigint, ${last.id}::uuid)`
    const rows: Candidate[] = await db
      .selectFrom('parked_deliveries')
      .select(['id', 'log_partition', 'log_offset', 'log_end', 'event_indexes', 'event_count', 'first_time'])
      .where(deadLetters(scope))
      .where(after)
      .orderBy('log_partition')
      .orderBy('log_offset')
      .orderBy('id')
      .limit(rowsAtOnce)
      .execute()
    yield* rows
    last = rows.at(-1)
    if (rows.length < rowsAtOnce) return
  }
}

/**
 * Returns the function that reads the events of a record. It caches the last record, because dead letters of the same
 * record follow each other.
 */
const createRecords = (log: Pick<LogReader, 'find'>) => {
  let known: { partition: number; offset: number; events: readonly PipelineEvent[] } | undefined
  return async (partition: number, offset: number): Promise<readonly PipelineEvent[]> => {
    if (known?.partition === partition && known.offset === offset) return known.events
    // Lets the thread do other work between two records.
    await setImmediate()
    const [record] = await log.find([{ partition, offset }])
    known = { partition, offset, events: record === undefined ? [] : eventsOf(record) }
    return known.events
  }
}

/**
 * Returns the events of a record. Returns none for a record that the pipeline did not write, because delivery cannot
 * read it either. Also returns none for rows of syncs, which have no names and no conditions.
 */
const eventsOf = ({ meta, body }: LogEntry): readonly PipelineEvent[] => {
  try {
    const facts = readStreamFacts(meta)
    if (facts === undefined || holdsRows(facts)) return []
    const parsed: unknown = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString())
    return Array.isArray(parsed) ? parsed : []
  } catch {
    return []
  }
}

/**
 * Chooses the events of dead letters in a scope that meet the conditions. Reads them from the delivery log one record
 * at a time, as deliveries get them, and filters them as mappings do. Previews and replays both use this, in turns of
 * the workspace. Changes nothing. Throws 503 if this process has no log, and 400 if the conditions take too much work
 * for an event. Throws 429 if the workspace has too much work waiting.
 */
export const chooseDead = async (
  { db, deliveries, workShare }: { db: Db; deliveries?: Pick<LogReader, 'find'> | undefined; workShare: WorkShare },
  scope: DeadScope,
  { event, eventType, filter }: EventScope,
  signal?: AbortSignal,
): Promise<ChosenDead> => {
  if (deliveries === undefined)
    throw new AppError(503, 'UNAVAILABLE', "The delivery log can't be read. Clear the filters or try again")
  const work = createFilterWork(workShare, scope.workspaceId, filter)
  const fits = (each: PipelineEvent): boolean =>
    (event === undefined || each.event === event) &&
    (eventType === undefined || each.type === eventType) &&
    work.meets(() => each)
  const read = createRecords(deliveries)
  const rows: ChosenRow[] = []
  const chosen: ChosenDead = { rows, count: 0, unreadable: 0, first: null, last: null }
  for await (const row of candidatesOf(db, scope)) {
    signal?.throwIfAborted()
    // A dead letter for a range of the log has no list of events, so none of them can be chosen.
    const events = row.log_end === null ? await read(row.log_partition, Number(row.log_offset)) : []
    const indexes: number[] = []
    chosen.unreadable += row.event_count
    for (const index of row.event_indexes) {
      const each = events[index]
      if (each === undefined) continue
      chosen.unreadable--
      if (fits(each)) indexes.push(index)
      await work.rest()
      await work.turn()
    }
    if (indexes.length === 0) continue
    rows.push({ id: row.id, count: row.event_count, indexes: indexes.length === row.event_count ? null : indexes })
    chosen.count += indexes.length
    if (chosen.first === null || row.first_time < chosen.first) chosen.first = row.first_time
    if (chosen.last === null || row.first_time > chosen.last) chosen.last = row.first_time
  }
  return chosen
}
