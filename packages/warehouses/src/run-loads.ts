import type { Tx } from '@tributary/api-kit'
import { callConnector, type DestinationRow, readDestination } from '@tributary/configuration'
import {
  ConfigurationError,
  type DeliverContext,
  DeliveryError,
  hideSecrets,
  RejectedError,
} from '@tributary/connector-kit'
import { AppError, cutText } from '@tributary/kernel'
import type { JobRun } from '@tributary/storage'
import type { LoadRow } from './begin-load.ts'
import { changeOf } from './change-text.ts'
import { paceOf } from './pace.ts'
import { requireWarehouse, type WarehouseDefinition } from './require-warehouse.ts'
import type { WarehouseServices } from './services.ts'
import { stagedUntil } from './staged-until.ts'

/** Longest time of a load or a change, ms. */
const withinMs = 3 * 60 * 60_000

/** Attempts of a load, after which it has failed. The next one by schedule tries again. */
const maxAttempts = 6

/** Longest text that is stored of a reason or a statement, in characters. */
const maxText = 10_000

type Outcome = Pick<LoadRow, 'state'> & Partial<Pick<LoadRow, 'reason' | 'statement'>>

const nextOf = ({ db }: Pick<WarehouseServices, 'db'>, destinationId: string): Promise<LoadRow | undefined> =>
  db
    .selectFrom('warehouse_loads')
    .selectAll()
    .where('destination_id', '=', destinationId)
    .where('state', 'in', ['waiting', 'running'])
    .orderBy('create_time')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()

/** Loads until the stage is empty. Stores the counts after each part, so that a failure keeps those of the parts before. */
const loadAll = async (
  { db }: Pick<WarehouseServices, 'db'>,
  { warehouse }: WarehouseDefinition,
  context: DeliverContext,
  row: LoadRow,
): Promise<Outcome> => {
  const tableRows = { ...row.table_rows }
  let [bytes, unfit] = [Number(row.bytes), Number(row.unfit_count)]
  for (;;) {
    const report = await warehouse.load(context)
    for (const [table, rows] of Object.entries(report.rows)) tableRows[table] = (tableRows[table] ?? 0) + rows
    bytes += report.bytes
    unfit += report.unfit
    await db
      .updateTable('warehouse_loads')
      .set({ table_rows: JSON.stringify(tableRows), bytes, unfit_count: unfit })
      .where('id', '=', row.id)
      .execute()
    context.signal.throwIfAborted()
    if (!report.more) return { state: 'succeeded' }
  }
}

const changeColumn = async (
  { warehouse }: WarehouseDefinition,
  context: DeliverContext,
  row: LoadRow,
): Promise<Outcome> => {
  const change = changeOf(row)
  if (change === undefined) return { state: 'failed', reason: 'The change is missing' }
  const { table, column, type = '', name = '' } = change
  if (row.kind === 'change_type') await warehouse.changeType(context, { table, column, type })
  else if (row.kind === 'rename_column') await warehouse.renameColumn(context, { table, column, name })
  else await warehouse.dropColumn(context, { table, column })
  return { state: 'succeeded' }
}

/** Returns the outcome of a failure; undefined if it is not one of the warehouse or its settings. */
const failureOf = (error: unknown, secrets: readonly string[], isLast: boolean): Outcome | undefined => {
  const shown = (text: string): string =>
    cutText(hideSecrets(text, secrets).replaceAll('\0', '\ufffd').toWellFormed(), maxText)
  if (error instanceof AppError)
    return { state: error.code < 500 || isLast ? 'failed' : 'running', reason: error.message }
  if (!(error instanceof DeliveryError)) return undefined
  // Another attempt does not help before a user or the warehouse has changed something.
  const isFinal = error instanceof ConfigurationError || error instanceof RejectedError
  return {
    state: isFinal || isLast ? 'failed' : 'running',
    reason: shown(error.message),
    statement: shown(error.exchange?.request ?? ''),
  }
}

const store = async (
  db: WarehouseServices['db'] | Tx,
  row: LoadRow,
  { state, reason = '', statement = '' }: Outcome,
  now: Date,
): Promise<void> => {
  await db
    .updateTable('warehouse_loads')
    .set({ state, reason, statement, finish_time: state === 'running' ? null : now })
    .where('id', '=', row.id)
    .execute()
}

/** Does the work of a row, and stores that it succeeded. Rejects with its failure. */
const runRow = async (
  deps: WarehouseServices,
  destination: DestinationRow,
  row: LoadRow,
  given: { signal: AbortSignal; begun: Date; withSecrets: (secrets: readonly string[]) => void },
): Promise<void> => {
  const { db, clock } = deps
  const { signal, begun } = given
  const found = await requireWarehouse(deps, destination)
  const pace = await paceOf(deps, destination)
  const until = await stagedUntil(deps, destination.id, pace)
  const outcome = await callConnector(deps, destination, found.definition, { withinMs, signal }, (context, secrets) => {
    given.withSecrets(secrets)
    return row.kind === 'load' ? loadAll(deps, found, context, row) : changeColumn(found, context, row)
  })
  await db.transaction().execute(async (tx) => {
    await store(tx, row, outcome, new Date(clock()))
    if (row.kind !== 'load') return
    const times = { load_time: begun, complete_time: until }
    await tx
      .insertInto('warehouse_states')
      .values({
        destination_id: destination.id,
        next_load_time: new Date(begun.getTime() + pace.everyMinutes * 60_000),
        ...times,
      })
      .onConflict((conflict) => conflict.column('destination_id').doUpdateSet(times))
      .execute()
  })
}

const runOne = async (
  deps: WarehouseServices,
  destination: DestinationRow,
  row: LoadRow,
  signal: AbortSignal,
): Promise<void> => {
  const { db, clock, logger } = deps
  const begun = new Date(clock())
  // The process ended in each attempt.
  if (row.attempts >= maxAttempts) {
    await store(db, row, { state: 'failed', reason: 'The server ended during each attempt' }, begun)
    return
  }
  const attempts = row.attempts + 1
  await db
    .updateTable('warehouse_loads')
    .set({ state: 'running', start_time: row.start_time ?? begun, attempts })
    .where('id', '=', row.id)
    .execute()
  let secrets: readonly string[] = []
  const withSecrets = (texts: readonly string[]): void => {
    secrets = texts
  }
  try {
    await runRow(deps, destination, row, { signal, begun, withSecrets })
  } catch (error) {
    signal.throwIfAborted()
    const failure = failureOf(error, secrets, attempts >= maxAttempts)
    const now = new Date(clock())
    if (failure === undefined) {
      logger.error({ err: error, destination: destination.id }, 'a load failed with a fault of the connector')
      const reason = 'The load failed. The log of the server has the reason'
      await store(db, row, { state: 'failed', reason }, now)
      return
    }
    await store(db, row, failure, now)
    if (failure.state === 'running') throw error
  }
}

/** Warehouses of one workspace that are loaded at once, so that slow ones leave places for other workspaces. */
const placesOfWorkspace = 2

/** Whether fewer warehouses of the workspace are loaded now, or this one is among them. A killed load counts until it ends. */
const isInTurn = async (
  { db }: Pick<WarehouseServices, 'db'>,
  { id, workspace_id }: Pick<DestinationRow, 'id' | 'workspace_id'>,
): Promise<boolean> => {
  const running = await db
    .selectFrom('warehouse_loads')
    .innerJoin('destinations', 'destinations.id', 'warehouse_loads.destination_id')
    .select('destination_id')
    .where('warehouse_loads.workspace_id', '=', workspace_id)
    .where('state', '=', 'running')
    .where('destinations.delete_time', 'is', null)
    .orderBy('start_time')
    .orderBy('warehouse_loads.id')
    .limit(placesOfWorkspace)
    .execute()
  return running.length < placesOfWorkspace || running.some(({ destination_id }) => destination_id === id)
}

/**
 * Runs the waiting loads and changes of a warehouse in their order. A failure that can pass is thrown, so that the job is
 * repeated; after six attempts the load has failed. Every step can be repeated, so a kill at any time loses nothing.
 */
export const runLoads = async (
  deps: WarehouseServices,
  job: { workspace: string; destination: string },
  { signal }: Pick<JobRun, 'signal'>,
): Promise<void> => {
  const destination = await readDestination(deps.db, job.workspace, job.destination)
  // The check of the next minute continues it.
  if (!(await isInTurn(deps, destination))) return
  for (;;) {
    const row = await nextOf(deps, destination.id)
    if (row === undefined) return
    await runOne(deps, destination, row, signal)
  }
}
