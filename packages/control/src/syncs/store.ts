import { eventIdentifier, type OutboundRow } from '@tributary/contract'
import { jsonMembers, newId } from '@tributary/kernel'
import { createRowReader, createRowWriter, type EventStore, type RowWriter, systemOwner } from '@tributary/storage'
import {
  confirmedCountStatement,
  confirmStatement,
  countStatement,
  type DiffOptions,
  diffStatement,
  invalidStatement,
  rejectedCountStatement,
  repeatedStatement,
} from './changes.ts'
import type { StagedRow } from './row-values.ts'

/** A key that is to be sent. */
export type PlannedRow = {
  number: number
  key: string
  operation: OutboundRow['operation']
  /** Undefined of a removal. */
  payload: string | undefined
}
/** Planned rows that lie side by side, as a record of the stream has them: the body of `outboundBody`. */
export type PlannedRecord = { /** The number of its last row. */ last: number; rows: number; body: Uint8Array }
/** An event that is to be sent, as it is collected. */
export type PlannedEvent = { number: number; messageId: string; payload: string }
/** What is stored of an event. */
export type EventStatus = { status: 'accepted' | 'blocked' | 'held' | 'rejected'; reason: string }
/** Keys of a run with the same fate. */
export type ChangeCount = { change: string; operation: string; status: string; keys: number; rows: number }
/** What became of a planned row; the higher version holds. Of several that follow each other `count`, whose versions do so, too. */
export type NotedOutcome = {
  number: number
  count?: number
  status: string
  reason: string
  version: number
  time: number
}

const tablesOfRuns = ['sync_staged', 'sync_listed', 'sync_changes', 'sync_outcomes'] as const

const isUuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const outcomeColumns = ['run_id', 'status', 'reason', 'time', 'number', 'version'] as const
const stagedColumns = ['run_id', 'key', 'source_key', 'payload', 'problem'] as const

/** A literal: not every version of the engine takes a parameter here. */
const dropPartition = (eventStore: EventStore, table: string, id: string): Promise<void> => {
  if (!isUuid.test(id)) throw new Error(`${id} is no id of a sync or a run`)
  return eventStore.command(`alter table ${table} drop partition '${id}'`)
}

type PlanOptions = Omit<DiffOptions, 'onlyRejected' | 'rowsAreUnique'> & { rerunOf?: string | null }

/** How many staged rows of a run have a key that was rejected in the run that it is `of`. */
export const countRejected = async (
  eventStore: EventStore,
  params: { run: string; of: string },
  given: { owner: string; signal: AbortSignal },
): Promise<number> => {
  const [found] = await eventStore.query<{ n: number }>(rejectedCountStatement, params, { ...given, slot: 'heavy' })
  return found?.n ?? 0
}

const rowsOfStaged = (writer: RowWriter, run: string, rows: readonly StagedRow[]): Uint8Array => {
  for (const { key, sourceKey, payload, problem } of rows) {
    for (const text of [run, key, sourceKey, payload, problem]) writer.text(text)
    writer.end()
  }
  return writer.take().bytes
}

const listedRows = (writer: RowWriter, run: string, keys: readonly string[]): Uint8Array => {
  for (const key of keys) {
    writer.text(run)
    writer.text(key)
    writer.end()
  }
  return writer.take().bytes
}

const outcomeRows = (writer: RowWriter, run: string, outcomes: readonly NotedOutcome[]): Uint8Array => {
  const same = createRowWriter()
  for (const { number, count = 1, status, reason, version, time } of outcomes) {
    for (const text of [run, status, reason]) same.text(text)
    same.time(time)
    const { bytes } = same.take()
    for (let at = 0; at < count; at++) {
      writer.raw(bytes)
      writer.uint64(number + at)
      writer.uint64(version + at)
      writer.end()
    }
  }
  return writer.take().bytes
}

/** Planned rows of `{run}` behind `{after}` up to `{to}`. Keys stand in no statement: there are many, and some are long. */
const plannedRows = (() => {
  const of = "run_id = {run:String} and number > {after:UInt64} and number <= {to:UInt64} and operation != ''"
  return `
    select planned.number as number, planned.key as key, planned.operation as operation, staged.payload as payload
    from (select number, key, operation from sync_changes where ${of}) as planned
    left join (
      select key, payload from sync_staged where run_id = {run:String} and problem = ''
        and key in (select key from sync_changes where ${of})
    ) as staged on staged.key = planned.key`
})()

/** The same as bodies of records, as `outboundText` writes rows: of a removal its key is all that is known, and needed. */
const plannedRecords = `
select toUInt32(max(number)) as last, toUInt32(count()) as rows,
  concat('[', arrayStringConcat(arrayMap(row -> row.2, arraySort(row -> row.1, groupArray((number, text)))), ',\n'), ']\n')
from (
  select number, concat('{"recordId":"', {run:String}, '.', toString(number), '","operation":"', operation,
    '","object":', {object:String}, ',"key":', json_key, ',"payload":',
    if(operation = 'delete', concat('{', {identifier:String}, ':', json_key, '}'), payload), '}') as text
  from (select number, operation, payload, toJSONString(key) as json_key from (${plannedRows}))
)
group by intDiv(number - {after:UInt64} - 1, {together:UInt64})
order by last
settings output_format_json_escape_forward_slashes = 0`

/** Which planned rows, how many in a record, and how they name their object and key. */
type RecordsWanted = Record<'after' | 'limit' | 'together', number> & Record<'object' | 'identifier', string>

const recordsIn = (bytes: Uint8Array): PlannedRecord[] => {
  const reader = createRowReader(bytes)
  const records: PlannedRecord[] = []
  while (!reader.isAtEnd()) records.push({ last: reader.uint32(), rows: reader.uint32(), body: reader.bytes() })
  return records
}

/** What a workspace has in the event store of its syncs. Statements of a workspace wait in its own turn. */
export const createSyncStore = (eventStore: EventStore, workspaceId: string, signal?: AbortSignal) => {
  const query = <Row>(sql: string, params: Record<string, unknown>, slot: 'short' | 'heavy' = 'heavy') =>
    eventStore.query<Row>(sql, params, { owner: workspaceId, slot, ...(signal === undefined ? {} : { signal }) })
  const drop = (table: string, partition: string): Promise<void> => dropPartition(eventStore, table, partition)
  const writer = createRowWriter()
  const outcomeWriter = createRowWriter()
  const readPlanned = async (run: string, after: number, limit: number): Promise<PlannedRow[]> => {
    const rows = await query<Omit<PlannedRow, 'payload'> & { payload: string }>(
      `${plannedRows} order by number`,
      { run, after, to: after + limit },
      'short',
    )
    return rows.map(({ payload, ...row }) => ({ ...row, payload: row.operation === 'delete' ? undefined : payload }))
  }

  return {
    /** Takes away everything of a run. */
    async clear(run: string): Promise<void> {
      for (const table of tablesOfRuns) await drop(table, run)
    },
    /** Forgets what was confirmed of a sync. */
    forget: (sync: string) => drop('sync_confirmed', sync),
    async stage(run: string, rows: readonly StagedRow[]): Promise<void> {
      const bytes = rowsOfStaged(writer, run, rows)
      // Never repeated: what is not sure to be stored begins anew. Never broken off: it could be stored after it was cleared.
      await eventStore.insert('sync_staged', { columns: stagedColumns, pieces: [bytes] }, { token: newId() })
    },
    /** Writes down keys that the destination has. */
    async list(run: string, keys: readonly string[]): Promise<void> {
      const bytes = listedRows(writer, run, keys)
      await eventStore.insert('sync_listed', { columns: ['run_id', 'key'], pieces: [bytes] }, { token: newId() })
    },
    /** Forgets these: they are of use to the comparison alone. */
    unlist: (run: string) => drop('sync_listed', run),
    /** How many rows of a run are staged so far. */
    async stagedCount(run: string): Promise<number> {
      const [found] = await query<{ n: number }>(
        'select count() as n from sync_staged where run_id = {run:String}',
        { run },
        'short',
      )
      return found?.n ?? 0
    },
    /** Writes down what is to be done, of all keys or of those that were rejected in an earlier run; resolves to how many are to be sent. */
    async plan(sync: string, run: string, { rerunOf = null, ...options }: PlanOptions): Promise<number> {
      const onlyRejected = rerunOf !== null
      const of = rerunOf ?? ''
      await drop('sync_changes', run)
      const [repeated] = await query<{ n: number }>(repeatedStatement(options), { run })
      const rowsAreUnique = Number(repeated?.n) === 0
      await eventStore.command(diffStatement({ ...options, onlyRejected, rowsAreUnique }), { sync, run, of })
      const [found] = await query<{ planned: number; keys: number }>(
        "select countIf(operation != '') as planned, count() as keys from sync_changes where run_id = {run:String}",
        { run },
      )
      await eventStore.command(invalidStatement({ onlyRejected }), { run, of, behind: found?.keys ?? 0 })
      return found?.planned ?? 0
    },
    count: (run: string) => query<ChangeCount>(countStatement, { run }),
    /** How many keys are confirmed of a sync, or, of one that owns its object, are there as a run has listed them. */
    async confirmedCount(sync: string, run: string, owns: boolean): Promise<number> {
      const [found] = await query<{ n: number }>(confirmedCountStatement(owns), { sync, run })
      return found?.n ?? 0
    },
    /** Planned rows behind a number, in their order. */
    planned: readPlanned,
    /** The same as the records that the stream has of them, so many rows in each. */
    async plannedRecords(
      run: string,
      { after, limit, together, object, identifier }: RecordsWanted,
    ): Promise<PlannedRecord[]> {
      const names = { object: JSON.stringify(object), identifier: JSON.stringify(identifier) }
      const bytes = await eventStore.queryBinary(
        plannedRecords,
        { run, after, to: after + limit, together, ...names },
        { owner: workspaceId, ...(signal === undefined ? {} : { signal }) },
      )
      return recordsIn(bytes)
    },
    /** The same as events; their message ids stand in them. */
    plannedEvents: async (run: string, after: number, limit: number): Promise<PlannedEvent[]> =>
      (await readPlanned(run, after, limit)).map(({ number, payload = '{}' }) => ({
        number,
        messageId: JSON.parse(jsonMembers(payload).get(eventIdentifier) ?? '""'),
        payload,
      })),
    /** What is stored of events of a source by their message ids, of what was received since a time, epoch ms. */
    async eventStatuses(
      source: string,
      ids: readonly string[],
      from: number,
    ): Promise<ReadonlyMap<string, EventStatus>> {
      const rows = await query<EventStatus & { id: string }>(
        // What was accepted comes first in the alphabet, too, and what was rejected last.
        `select message_id as id, status, reason from events
         where workspace_id = {workspace:String} and source_id = {source:String}
           and receive_time >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') and message_id in {ids:Array(String)}
         order by status limit 1 by message_id`,
        { workspace: workspaceId, source, from, ids },
      )
      return new Map(rows.map(({ id, ...found }) => [id, found]))
    },
    async noteOutcomes(run: string, outcomes: readonly NotedOutcome[]): Promise<void> {
      const bytes = outcomeRows(outcomeWriter, run, outcomes)
      await eventStore.insert('sync_outcomes', { columns: outcomeColumns, pieces: [bytes] }, { token: newId() })
    },
    /** What is known of planned rows behind a number. */
    outcomes: (run: string, after: number, limit: number) =>
      query<{ number: number; status: string }>(
        `select number, argMax(status, version) as status from sync_outcomes
         where run_id = {run:String} and number > {after:UInt64} and number <= {to:UInt64} group by number`,
        { run, after, to: after + limit },
      ),
    /** Writes down what the destination has confirmed; doing it again changes nothing. */
    confirm: (sync: string, run: string, version: number) =>
      eventStore.command(confirmStatement, { sync, run, version }),
  }
}
export type SyncStore = ReturnType<typeof createSyncStore>

/**
 * Whose rows are kept: confirmed ones of syncs, planned ones with their outcomes of runs, and staged ones of runs under way and of the
 * last run of each sync.
 */
export type KnownSyncs = { syncs: ReadonlySet<string>; runs: ReadonlySet<string>; staged: ReadonlySet<string> }

/** Takes away what belongs to no sync and no run any more. What is known is asked for after what there is: what begins meanwhile stays. */
export const clearOrphans = async (eventStore: EventStore, readKnown: () => Promise<KnownSyncs>): Promise<void> => {
  const parts = await eventStore.query<{ table: string; partition: string }>(
    `select distinct table, partition from system.parts where active and database = currentDatabase()
       and table in ('sync_confirmed', ${tablesOfRuns.map((table) => `'${table}'`).join(', ')})`,
    {},
    { owner: systemOwner },
  )
  if (parts.length === 0) return
  const { syncs, runs, staged } = await readKnown()
  for (const { table, partition } of parts) {
    const isRead = table === 'sync_staged' || table === 'sync_listed'
    const kept = table === 'sync_confirmed' ? syncs : isRead ? staged : runs
    if (!kept.has(partition)) await dropPartition(eventStore, table, partition)
  }
}
