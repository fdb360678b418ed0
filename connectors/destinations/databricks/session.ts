import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { ConfigurationError, type DeliverContext, type Lifetime, RetryableError } from '@tributary/connector-kit'
import { warehouseId } from '../../wire/databricks/access.ts'
import { deliveryError, Refusal } from '../../wire/databricks/failures.ts'
import { listFiles, removeFile, volumePath, writeFile } from '../../wire/databricks/files.ts'
import { literal } from '../../wire/databricks/identifiers.ts'
import { runStatement, type Workspace } from '../../wire/databricks/run-statement.ts'
import { createSignIn, type SignIn } from '../../wire/databricks/sign-in.ts'
import { type StageRow, stageTable, type WarehouseSession } from '../../wire/warehouse/dialect.ts'
import { createDialect, filesVolume } from './dialect.ts'
import type { DatabricksSettings } from './settings.ts'

/** Longest time in ms of a statement, with the start of its warehouse. */
const statementMs = 30 * 60 * 1000
/** Time in seconds for which the server keeps the first request open. Most statements end in it. */
const waitSeconds = 30
/** Most rows of an answer. */
const maxRows = 5_000_000
/** How often a statement is repeated after a conflict with another one, and the first pause in ms. */
const [maxRepeats, firstPauseMs] = [4, 200]
/** Age in ms of a file that a kill has left behind, and the time between two searches for them. */
const [leftMs, searchMs] = [24 * 60 * 60 * 1000, 60 * 60 * 1000]

/** How the origin of a workspace is found by its host. */
export type OriginOf = (host: string) => string | undefined

/** What lives as long as the destination runs with these settings. */
type Kept = { signIn: SignIn; searchedAt: number }
const keptBy = new WeakMap<Lifetime, Map<OriginOf, Kept>>()

const keptOf = (
  { lifetime, settings }: DeliverContext<DatabricksSettings>,
  originOf: OriginOf,
  origin: string,
): Kept => {
  const all = keptBy.get(lifetime) ?? new Map<OriginOf, Kept>()
  keptBy.set(lifetime, all)
  const kept = all.get(originOf) ?? { signIn: createSignIn(settings, origin), searchedAt: 0 }
  all.set(originOf, kept)
  return kept
}

/**
 * Whether a statement failed because another one changed the same table meanwhile
 * (docs.databricks.com/aws/en/error-messages/error-classes, SQLSTATE 2D521).
 */
const isConflict = (error: unknown): error is Refusal =>
  error instanceof Refusal &&
  (error.sqlState === '2D521' || /\[DELTA_(?:CONCURRENT_\w+|METADATA_CHANGED|PROTOCOL_CHANGED)\b/.test(error.message))

/** Whether a statement failed because another one has made the same table or column meanwhile. */
const isMadeAlready = (error: unknown): error is Refusal =>
  error instanceof Refusal && /^\[[A-Z_]*(?:ALREADY_EXISTS|COLUMN_EXISTS)\b/.test(error.message)

const columnsOfStage =
  'batch string, place bigint, table_name string, mode string, row_key string, received_at string, row_values string, set_null string, bytes bigint'
const namesOfStage = columnsOfStage.replace(/ (?:string|bigint)/g, '')

const createSession = (
  { settings, signal }: DeliverContext<DatabricksSettings>,
  workspace: Workspace,
  kept: Kept,
): WarehouseSession => {
  const { catalog } = settings
  // Names of Unity Catalog are in lower case.
  const schema = settings.schema.toLowerCase()
  const dialect = createDialect(catalog, schema)
  const folder = volumePath(catalog, schema, filesVolume)

  const runOnce = async (sql: string): Promise<(string | null)[][]> => {
    const rows: (string | null)[][] = []
    const within = AbortSignal.any([signal, AbortSignal.timeout(statementMs + 60_000)])
    for await (const batch of runStatement(workspace, {
      sql,
      limitMs: statementMs,
      maxRows,
      waitSeconds,
      signal: within,
    }))
      for (const row of batch) rows.push([...row])
    return rows
  }
  const run = async (sql: string): Promise<(string | null)[][]> => {
    for (let repeats = 0; ; repeats++) {
      try {
        return await runOnce(sql)
      } catch (error) {
        if (signal.aborted) throw new RetryableError('Interrupted')
        if (isMadeAlready(error)) throw new RetryableError(error.message, { cause: error })
        if (!isConflict(error)) throw deliveryError(error)
        if (repeats >= maxRepeats) throw new RetryableError(error.message, { cause: error })
        await pause(firstPauseMs * 2 ** repeats * (0.5 + Math.random()), undefined, { signal }).catch(() => {})
      }
    }
  }
  /** Removes files that a kill has left behind, since they have rows of events. Never rejects. */
  const removeLeftFiles = async (): Promise<void> => {
    const now = Date.now()
    if (now - kept.searchedAt < searchMs) return
    kept.searchedAt = now
    try {
      for (const { name, changed } of await listFiles(workspace, folder, signal))
        if (/^[0-9a-f-]{36}\.json$/.test(name) && now - changed > leftMs)
          await removeFile(workspace, `${folder}/${name}`, signal)
    } catch {
      // The next search removes them.
    }
  }

  return {
    dialect,
    run,
    stage: async (rows: readonly StageRow[]) => {
      const path = `${folder}/${randomUUID()}.json`
      await writeFile(workspace, path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''), signal)
      try {
        await run(`INSERT INTO ${dialect.table(stageTable)} (${namesOfStage}) SELECT ${namesOfStage}
  FROM read_files(${literal(path)}, format => 'json', mode => 'FAILFAST', schema => ${literal(columnsOfStage)})`)
      } finally {
        await removeFile(workspace, path, signal).catch(() => {})
        await removeLeftFiles()
      }
    },
  }
}

/**
 * Opens a session with the schema of the settings. It has no connection of its own: each request has one. Rejects with a
 * DeliveryError.
 */
export const withSession = async <T>(
  context: DeliverContext<DatabricksSettings>,
  originOf: OriginOf,
  work: (session: WarehouseSession, workspace: Workspace) => Promise<T>,
): Promise<T> => {
  const { settings, connect } = context
  const [origin, warehouse] = [originOf(settings.host), warehouseId(settings.warehouse)]
  if (origin === undefined || warehouse === undefined)
    throw new ConfigurationError('The host or the HTTP path is not one of Databricks')
  const kept = keptOf(context, originOf, origin)
  const workspace = { origin, warehouseId: warehouse, catalog: settings.catalog, signIn: kept.signIn, connect }
  return await work(createSession(context, workspace, kept), workspace)
}
