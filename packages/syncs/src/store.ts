import { newId } from '@tributary/kernel'
import { createRowWriter, type EventStore, type RowWriter, systemOwner } from '@tributary/storage'
import {
  confirmedCountStatement,
  confirmStatement,
  countStatement,
  type DiffOptions,
  diffStatement,
  invalidStatement,
  keysToCompareStatement,
  refusedOutcomesStatement,
  refusedStatement,
  rejectedCountStatement,
  repeatedStatement,
  replacedStatement,
  sameKeysStatement,
} from './changes.ts'
import { createPlannedReader, type Query, readCount } from './planned-rows.ts'
import type { StagedRow } from './row-values.ts'

/** The outcome of a stored event. */
export type EventStatus = { status: 'accepted' | 'blocked' | 'held' | 'rejected'; reason: string }
/** Number of keys and rows of a run with the same change, operation and status. */
export type ChangeCount = { change: string; operation: string; status: string; keys: number; rows: number }
/**
 * The outcome of a planned row; a higher version replaces a lower one. It applies to `count` consecutive rows, with
 * increasing versions.
 */
export type NotedOutcome = {
  number: number
  count?: number
  status: string
  reason: string
  version: number
  time: number
}

const tablesOfRuns = [
  'sync_staged',
  'sync_listed',
  'sync_key_forms',
  'sync_same_keys',
  'sync_changes',
  'sync_outcomes',
] as const
/** Tables with the data that a run read. This data is kept only for the last run of a sync. */
const readTables: readonly string[] = ['sync_staged', 'sync_listed', 'sync_key_forms', 'sync_same_keys']

const isUuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const outcomeColumns = ['run_id', 'status', 'reason', 'time', 'number', 'version'] as const
const stagedColumns = ['run_id', 'key', 'source_key', 'payload', 'problem'] as const

/**
 * Drops the partition of an ID. The ID is a literal, because not every version of the event store accepts a parameter
 * here.
 */
const dropPartition = (eventStore: EventStore, table: string, id: string): Promise<void> => {
  if (!isUuid.test(id)) throw new Error(`${id} is no id of a sync or a run`)
  return eventStore.command(`alter table ${table} drop partition '${id}'`)
}

export type PlanOptions = Omit<DiffOptions, 'onlyRejected' | 'rowsAreUnique'> & { rerunOf?: string | null }

/** Counts the staged rows of a run whose key was rejected in the run `of`. */
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

const hasUniqueRows = async (
  query: Query,
  run: string,
  options: Pick<DiffOptions, 'keyIsPrimary'>,
): Promise<boolean> => {
  const [repeated] = await query<{ n: number }>(repeatedStatement(options), { run })
  return Number(repeated?.n) === 0
}

const readEventStatuses = async (
  query: Query,
  params: { workspace: string; source: string; from: number; ids: readonly string[] },
): Promise<ReadonlyMap<string, EventStatus>> => {
  const rows = await query<EventStatus & { id: string }>(
    // In alphabetical order, accepted is first and rejected last.
    `select message_id as id, status, reason from events
     where workspace_id = {workspace:String} and source_id = {source:String}
       and receive_time >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') and message_id in {ids:Array(String)}
     order by status limit 1 by message_id`,
    params,
  )
  return new Map(rows.map(({ id, ...found }) => [id, found]))
}

/** Creates functions that store which keys a destination treats as the same. */
const createSameKeyStore = (
  eventStore: EventStore,
  {
    query,
    writer,
    drop,
  }: { query: Query; writer: RowWriter; drop: (table: string, partition: string) => Promise<void> },
) => ({
  /**
   * Reads, in order, the keys after `after` that the destination might treat as the same as another key. Keys that
   * match `plain` are omitted.
   */
  keysToCompare: async (sync: string, run: string, given: { plain: string; after: string; limit: number }) =>
    (await query<{ key: string }>(keysToCompareStatement, { sync, run, ...given })).map(({ key }) => key),
  /** Stores the forms of keys. */
  async noteForms(run: string, keys: readonly string[], forms: readonly string[]): Promise<void> {
    for (const [index, key] of keys.entries()) {
      for (const text of [run, key, forms[index] ?? key]) writer.text(text)
      writer.end()
    }
    const columns = ['run_id', 'key', 'form']
    await eventStore.insert('sync_key_forms', { columns, pieces: [writer.take().bytes] }, { token: newId() })
  },
  /** Stores which keys have the same form, and removes the forms. Returns the number of these keys. */
  async noteSameKeys(sync: string, run: string, options: Pick<DiffOptions, 'keyIsPrimary'>): Promise<number> {
    await drop('sync_same_keys', run)
    const rowsAreUnique = await hasUniqueRows(query, run, options)
    await eventStore.command(sameKeysStatement({ ...options, rowsAreUnique }), { sync, run })
    await drop('sync_key_forms', run)
    return await readCount(
      query,
      'select count() as n from sync_same_keys where run_id = {run:String}',
      { run },
      'short',
    )
  },
  /** Removes the stored forms of a run. */
  dropForms: (run: string) => drop('sync_key_forms', run),
  /** Removes the stored keys that the destination treats as the same. */
  dropSameKeys: (run: string) => drop('sync_same_keys', run),
})

/**
 * Creates functions for the data of a workspace's syncs in the event store. Statements of a workspace wait for each
 * other.
 */
export const createSyncStore = (eventStore: EventStore, workspaceId: string, signal?: AbortSignal) => {
  const owner = { owner: workspaceId, ...(signal === undefined ? {} : { signal }) }
  const query: Query = (sql, params, slot = 'heavy') => eventStore.query(sql, params, { ...owner, slot })
  const drop = (table: string, partition: string): Promise<void> => dropPartition(eventStore, table, partition)
  const writer = createRowWriter()
  const outcomeWriter = createRowWriter()
  const countPlanned = async (run: string): Promise<{ planned: number; keys: number }> => {
    const [found] = await query<{ planned: number; keys: number }>(
      "select countIf(operation != '') as planned, count() as keys from sync_changes where run_id = {run:String}",
      { run },
    )
    return found ?? { planned: 0, keys: 0 }
  }

  return {
    ...createSameKeyStore(eventStore, { query, writer, drop }),
    ...createPlannedReader(eventStore, query, owner),
    /** Removes all data of a run. */
    async clear(run: string): Promise<void> {
      for (const table of tablesOfRuns) await drop(table, run)
    },
    /** Removes the confirmed rows of a sync. */
    forget: (sync: string) => drop('sync_confirmed', sync),
    async stage(run: string, rows: readonly StagedRow[]): Promise<void> {
      const bytes = rowsOfStaged(writer, run, rows)
      // The insert is never repeated, because the run restarts after an unknown result. It is never aborted, because
      // rows could appear after a clear.
      await eventStore.insert('sync_staged', { columns: stagedColumns, pieces: [bytes] }, { token: newId() })
    },
    /** Stores keys that exist at the destination. */
    async list(run: string, keys: readonly string[]): Promise<void> {
      const bytes = listedRows(writer, run, keys)
      await eventStore.insert('sync_listed', { columns: ['run_id', 'key'], pieces: [bytes] }, { token: newId() })
    },
    /** Removes the listed keys, which only the comparison needs. */
    unlist: (run: string) => drop('sync_listed', run),
    /** Returns the number of rows of a run that are staged so far. */
    stagedCount: (run: string) =>
      readCount(query, 'select count() as n from sync_staged where run_id = {run:String}', { run }, 'short'),
    /**
     * Stores the plan for all keys, or only for keys that were rejected in an earlier run. Returns the number of keys
     * to send.
     */
    async plan(sync: string, run: string, { rerunOf = null, ...options }: PlanOptions): Promise<number> {
      const onlyRejected = rerunOf !== null
      const of = rerunOf ?? ''
      await drop('sync_changes', run)
      const rowsAreUnique = await hasUniqueRows(query, run, options)
      await eventStore.command(diffStatement({ ...options, onlyRejected, rowsAreUnique }), { sync, run, of })
      const { planned, keys } = await countPlanned(run)
      await eventStore.command(invalidStatement({ onlyRejected }), { run, of, behind: keys })
      if (options.knowsSame === true) {
        const behind = (await countPlanned(run)).keys
        await eventStore.command(refusedStatement({ onlyRejected }), { run, of, behind })
        await drop('sync_outcomes', run)
        await eventStore.command(refusedOutcomesStatement, { run })
      }
      return planned
    },
    count: (run: string) => query<ChangeCount>(countStatement, { run }),
    /**
     * Returns the number of confirmed keys. If the sync owns its object, returns the number of keys that a run listed
     * at the destination.
     */
    confirmedCount: (sync: string, run: string, owns: boolean) =>
      readCount(query, confirmedCountStatement(owns), { sync, run }),
    /**
     * Reads the outcomes of stored events of a source by their message IDs, among events received since a time (epoch
     * ms).
     */
    eventStatuses: (source: string, ids: readonly string[], from: number) =>
      readEventStatuses(query, { workspace: workspaceId, source, from, ids }),
    async noteOutcomes(run: string, outcomes: readonly NotedOutcome[]): Promise<void> {
      const bytes = outcomeRows(outcomeWriter, run, outcomes)
      await eventStore.insert('sync_outcomes', { columns: outcomeColumns, pieces: [bytes] }, { token: newId() })
    },
    /** Reads the outcomes of planned rows after a number. */
    outcomes: (run: string, after: number, limit: number) =>
      query<{ number: number; status: string }>(
        `select number, argMax(status, version) as status from sync_outcomes
         where run_id = {run:String} and number > {after:UInt64} and number <= {to:UInt64} group by number`,
        { run, after, to: after + limit },
      ),
    /** Stores the rows that the destination has confirmed. A repetition changes nothing. */
    async confirm(sync: string, run: string, version: number): Promise<void> {
      await eventStore.command(confirmStatement, { sync, run, version })
      await eventStore.command(replacedStatement, { sync, run, version })
    },
  }
}
export type SyncStore = ReturnType<typeof createSyncStore>

/**
 * The syncs and runs whose rows are kept. `syncs` keep confirmed rows, `runs` keep planned rows with their outcomes,
 * and `staged` runs keep staged rows.
 */
export type KnownSyncs = { syncs: ReadonlySet<string>; runs: ReadonlySet<string>; staged: ReadonlySet<string> }

/** Removes rows of deleted syncs and runs. `readKnown` runs after the tables are listed, so a new run is kept. */
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
    const kept = table === 'sync_confirmed' ? syncs : readTables.includes(table) ? staged : runs
    if (!kept.has(partition)) await dropPartition(eventStore, table, partition)
  }
}
