import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Session } from 'chdb'
import { createQuerySlots, type QuerySlots, type SlotRejection } from '../query-slots.ts'
import type { Sessions } from './child-options.ts'
import { repairDeduplicationLogs, syncDeduplicationLog } from './deduplication-log.ts'
import { EngineError, parseEngineError, tooBusy } from './engine-error.ts'
import { withoutPlace } from './error-place.ts'
import { quoteString } from './literals.ts'

export type SlotKind = keyof Sessions
export type EngineOptions = {
  /** Folder of the engine; no other code may use it. */
  dataDir: string
  /** Memory limit of the whole process, in bytes. */
  memoryBytes: number
  /** Maximum threads of one query. */
  maxThreads: number
  sessions: Sessions
}

type Settings = Record<string, string>
type Worker = { session: Session; base: Settings; database: string; overrides: Settings }

export type Statement = {
  sql: string
  format: string
  database: string
  settings: Settings
}
export type RawInsert = {
  table: string
  columns: string[] | undefined
  format: string
  body: Buffer
  database: string
  settings: Settings
}
export type EngineResult = {
  bytes: Uint8Array
  rowsRead: number
  bytesRead: number
  elapsedSeconds: number
}

export type Engine = {
  /** Runs one statement; if the signal aborts, the engine kills it. */
  execute(slot: SlotKind, statement: Statement, signal: AbortSignal): Promise<EngineResult>
  /**
   * Passes rows, in their original format, to the engine's own parser. A running insert does not stop when the signal
   * aborts.
   */
  insert(insert: RawInsert, signal: AbortSignal): Promise<EngineResult>
  load(): Record<SlotKind, { waiting: number; running: number }>
  close(): void
}

const mebi = 1024 * 1024
/**
 * The only key of the engine's query slots. The engine needs no other, because its callers have already ordered the
 * queries by owner and turn.
 */
const anybody = ''
const name = /^[A-Za-z][A-Za-z0-9_]*$/

/** Options that the engine accepts only in a configuration file: durability of every MergeTree table, caches. */
const configuration = `<clickhouse>
  <merge_tree>
    <fsync_after_insert>1</fsync_after_insert>
    <fsync_part_directory>1</fsync_part_directory>
    <min_rows_to_fsync_after_merge>1</min_rows_to_fsync_after_merge>
    <max_suspicious_broken_parts>1000</max_suspicious_broken_parts>
  </merge_tree>
</clickhouse>
`

const baseSettings = (slot: SlotKind | 'control', options: EngineOptions): Settings => {
  const share = (part: number): string => String(Math.floor(options.memoryBytes * part))
  const seconds = { insert: 120, short: 20, heavy: 300, control: 10 }[slot]
  const memory = { insert: 0.5, short: 0.25, heavy: 0.5, control: 0.25 }[slot]
  return {
    max_execution_time: String(seconds),
    max_memory_usage: share(memory),
    max_threads: String(slot === 'insert' ? 1 : options.maxThreads),
    // Processor time per row: 18 µs with one thread, 22 µs with the parallel parser (batches of 10,000 rows of 1.2 kB).
    input_format_parallel_parsing: '0',
    max_bytes_before_external_group_by: share(memory / 2),
    max_bytes_before_external_sort: share(memory / 2),
    max_result_bytes: share(0.25),
    type_json_skip_duplicated_paths: '1',
    date_time_input_format: 'best_effort',
    // Parameters become part of the query text.
    max_query_size: String(128 * mebi),
    output_format_json_quote_64bit_integers: '0',
  }
}

const settingList = (settings: Settings): string =>
  Object.entries(settings)
    .map(([key, value]) => `${key} = ${value === 'DEFAULT' ? value : quoteString(value)}`)
    .join(', ')

/** The statement that inserts the rows of a file into a table. */
const insertStatement = ({ columns, format, settings }: RawInsert, table: string, path: string): string => {
  const list = columns === undefined ? '' : ` (${columns.map((column) => `\`${column}\``).join(', ')})`
  for (const key of Object.keys(settings))
    if (!name.test(key)) throw new EngineError(115, 'UNKNOWN_SETTING', `Unknown setting '${key.slice(0, 100)}'`)
  const given = Object.keys(settings).length === 0 ? '' : ` SETTINGS ${settingList(settings)}`
  const target = table.split('.').map((part) => `\`${part}\``)
  return `INSERT INTO ${target.join('.')}${list}${given} SELECT * FROM file(${quoteString(path)}, ${format})`
}

/** Returns the engine's error without the name of the rows' file, which means nothing to a caller. */
const withoutFile = (error: EngineError): EngineError =>
  new EngineError(error.code, error.codeName, withoutPlace(error.message))

/** Prepares the folder of the engine. */
const prepareFolder = (options: EngineOptions): { connectionArgs: string[]; incomingDir: string } => {
  mkdirSync(options.dataDir, { recursive: true, mode: 0o700 })
  repairDeduplicationLogs(options.dataDir)
  const incomingDir = join(options.dataDir, 'incoming')
  rmSync(incomingDir, { recursive: true, force: true })
  mkdirSync(incomingDir, { mode: 0o700 })
  const configFile = join(options.dataDir, 'tributary-engine.xml')
  writeFileSync(configFile, configuration)
  const connectionArgs = [
    `--config-file=${configFile}`,
    `--max_server_memory_usage=${options.memoryBytes}`,
    `--mark_cache_size=${Math.max(32 * mebi, Math.floor(options.memoryBytes / 16))}`,
    '--uncompressed_cache_size=0',
  ]
  return { connectionArgs, incomingDir }
}

const openSession = async (
  options: EngineOptions,
  connectionArgs: string[],
  slot: SlotKind | 'control',
): Promise<Worker> => {
  const session = new Session(options.dataDir, { connectionArgs })
  const base = baseSettings(slot, options)
  await session.queryAsync(`SET ${settingList(base)}`)
  return { session, base, database: 'default', overrides: {} }
}

const slotsOf = (
  workers: readonly Worker[],
  name: SlotKind,
  maxQueue: number,
  maxWaitMs: number,
): QuerySlots<Worker> => {
  const refusals = {
    full: `Too many queries are waiting for a slot '${name}'`,
    late: `The query waited longer than ${maxWaitMs} ms for a slot '${name}'`,
    gone: 'The client has gone',
  }
  const queue = { maxQueue, maxQueuePerKey: maxQueue, maxWaitMs }
  const refuse = (why: SlotRejection): Error => tooBusy(refusals[why === 'key-full' ? 'full' : why])
  return createQuerySlots(workers, { ...queue, perKey: workers.length, refuse })
}

const restore = async (worker: Worker, keys: readonly string[]): Promise<void> => {
  for (const key of keys) {
    await worker.session.queryAsync(`SET ${settingList({ [key]: worker.base[key] ?? 'DEFAULT' })}`).catch(() => {})
  }
}

/** Sets the database and settings of a call in a session, and resets the settings of the previous call. */
const prepare = async (worker: Worker, database: string, settings: Settings): Promise<void> => {
  const changes: Settings = {}
  for (const key of Object.keys(worker.overrides)) if (!(key in settings)) changes[key] = worker.base[key] ?? 'DEFAULT'
  for (const [key, value] of Object.entries(settings)) {
    if (!name.test(key)) throw new EngineError(115, 'UNKNOWN_SETTING', `Unknown setting '${key.slice(0, 100)}'`)
    if (worker.overrides[key] !== value) changes[key] = value
  }
  if (Object.keys(changes).length > 0) {
    try {
      await worker.session.queryAsync(`SET ${settingList(changes)}`)
      worker.overrides = { ...settings }
    } catch (error) {
      await restore(worker, [...Object.keys(worker.overrides), ...Object.keys(changes)])
      worker.overrides = {}
      throw parseEngineError(error)
    }
  }
  if (worker.database !== database) {
    if (!name.test(database))
      throw new EngineError(81, 'UNKNOWN_DATABASE', `Database ${database.slice(0, 100)} does not exist`)
    await worker.session.queryAsync(`USE \`${database}\``).catch((error: unknown) => {
      throw parseEngineError(error)
    })
    worker.database = database
  }
}

/** Returns a function that kills a query by its mark, in a session of its own. */
const createKilling = (control: Worker): ((marker: string, ended: () => boolean) => Promise<void>) => {
  let killing: Promise<unknown> = Promise.resolve()
  /** Kills the marked query repeatedly until it has ended, because it may not have been registered the first time. */
  return async (marker, ended) => {
    for (let pause = 20; !ended(); pause = Math.min(pause * 2, 500)) {
      killing = killing.then(() =>
        control.session.queryAsync(`KILL QUERY WHERE startsWith(query, ${quoteString(marker)}) ASYNC`).catch(() => {}),
      )
      await killing
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
}

/** Returns a function that finds the folder of a table. A recreated table of the same name has another folder. */
const createTableDirs = (): ((worker: Worker, table: string) => Promise<string | undefined>) => {
  const tableDirs = new Map<string, string>()
  return async (worker, table) => {
    const known = tableDirs.get(table)
    if (known !== undefined && existsSync(known)) return known
    const [database = '', name = ''] = table.split('.')
    const result = await worker.session.queryAsync(
      `SELECT data_paths[1] FROM system.tables WHERE database = ${quoteString(database)} AND name = ${quoteString(name)}`,
      { format: 'TSVRaw' },
    )
    const dir = result.text().trim()
    if (dir === '') return undefined
    tableDirs.set(table, dir)
    return dir
  }
}

/**
 * Returns a function that runs the inserts with the same token one after the other. The engine would acknowledge a
 * repetition as soon as the first insert has written its token, which is before its rows are on disk.
 */
const createOneAtATime = () => {
  const underWay = new Map<string, Promise<unknown>>()
  return async <T>(token: string | undefined, work: () => Promise<T>): Promise<T> => {
    if (token === undefined) return work()
    for (let first = underWay.get(token); first !== undefined; first = underWay.get(token)) await first.catch(() => {})
    const running = work().finally(() => underWay.delete(token))
    underWay.set(token, running)
    return running
  }
}

/**
 * Writes the rows to a file for the engine, and removes it afterwards. Rows inside the statement cost half as much
 * again. The engine's own mechanism takes 44 µs of processor time for a row of 1.9 kB, 36 of them before the table
 * sees the row; the file takes 28. The file need not be synced: it is only read while this process runs.
 */
const withFile = async <T>(path: string, body: Buffer, work: (path: string) => Promise<T>): Promise<T> => {
  try {
    await writeFile(path, body)
    return await work(path)
  } finally {
    await rm(path, { force: true })
  }
}

/** Opens the engine with its sessions. Throws if another process uses the folder. */
export const openEngine = async (options: EngineOptions): Promise<Engine> => {
  const { connectionArgs, incomingDir } = prepareFolder(options)
  const control = await openSession(options, connectionArgs, 'control')
  const all = [control]
  const openSlots = async (slot: SlotKind, maxQueue: number, maxWaitMs: number): Promise<QuerySlots<Worker>> => {
    const workers: Worker[] = []
    while (workers.length < options.sessions[slot]) workers.push(await openSession(options, connectionArgs, slot))
    all.push(...workers)
    return slotsOf(workers, slot, maxQueue, maxWaitMs)
  }
  const slots: Record<SlotKind, QuerySlots<Worker>> = {
    insert: await openSlots('insert', 64, 60_000),
    short: await openSlots('short', 200, 20_000),
    heavy: await openSlots('heavy', 100, 120_000),
  }

  let counter = 0
  const killUntilEnded = createKilling(control)
  const tableDir = createTableDirs()
  const oneAtATime = createOneAtATime()

  const execute: Engine['execute'] = (slot, statement, signal) =>
    slots[slot].run(anybody, signal, async (worker) => {
      await prepare(worker, statement.database, statement.settings)
      const marker = `/* ${++counter} */`
      let ended = false
      const onAbort = (): void => void killUntilEnded(marker, () => ended)
      signal.addEventListener('abort', onAbort, { once: true })
      if (signal.aborted) throw new EngineError(394, 'QUERY_WAS_CANCELLED', 'Query was cancelled')
      try {
        const result = await worker.session.queryAsync(`${marker} ${statement.sql}`, { format: statement.format })
        const { rowsRead, bytesRead, elapsed } = result
        return { bytes: result.bytes(), rowsRead, bytesRead, elapsedSeconds: elapsed }
      } catch (error) {
        ended = true
        // A failed query keeps its entry in system.processes, and its memory, until the next query of the session.
        await worker.session.queryAsync('SELECT 1').catch(() => {})
        throw parseEngineError(error)
      } finally {
        ended = true
        signal.removeEventListener('abort', onAbort)
      }
    })

  const insertNow = (call: RawInsert, table: string, signal: AbortSignal): Promise<EngineResult> =>
    slots.insert.run(anybody, signal, (worker) =>
      withFile(join(incomingDir, `${++counter}.rows`), call.body, async (path) => {
        try {
          const result = await worker.session.queryAsync(insertStatement(call, table, path))
          if (call.settings['insert_deduplication_token'] !== undefined) {
            const dir = await tableDir(worker, table)
            if (dir !== undefined) await syncDeduplicationLog(dir)
          }
          return { bytes: new Uint8Array(), rowsRead: 0, bytesRead: 0, elapsedSeconds: result.elapsed }
        } catch (error) {
          // A failed query keeps its entry in system.processes, and its memory, until the session's next query.
          await worker.session.queryAsync('SELECT 1').catch(() => {})
          throw withoutFile(parseEngineError(error))
        }
      }),
    )

  const insert: Engine['insert'] = (call, signal) => {
    const table = call.table.includes('.') ? call.table : `${call.database}.${call.table}`
    const token = call.settings['insert_deduplication_token']
    return oneAtATime(token === undefined ? undefined : `${table} ${token}`, () => insertNow(call, table, signal))
  }

  return {
    execute,
    insert,
    load: () => ({ insert: slots.insert.load(), short: slots.short.load(), heavy: slots.heavy.load() }),
    close() {
      for (const worker of all) worker.session.close()
    },
  }
}
