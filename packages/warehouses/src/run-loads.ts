import { callConnector, type DestinationRow, readDestination } from '@tributary/configuration'
import {
  ConfigurationError,
  type DeliverContext,
  DeliveryError,
  hideSecrets,
  RejectedError,
} from '@tributary/connector-kit'
import { AppError } from '@tributary/kernel'
import type { JobRun } from '@tributary/storage'
import type { LoadRow } from './begin-load.ts'
import { changeOf } from './change-text.ts'
import { requireWarehouse, type WarehouseDefinition } from './require-warehouse.ts'
import type { WarehouseServices } from './services.ts'

/** Longest time of a load or a change, ms. */
const withinMs = 3 * 60 * 60_000

/** Attempts of a load, after which it has failed. The next one by schedule tries again. */
const maxAttempts = 6

/** Longest text that is stored of a reason or a statement, in characters. */
const maxText = 10_000

/** Time in ms that delivery may need for an event that it has accepted, before it counts as waiting. */
const deliveryMs = 30_000

type Outcome = Partial<Pick<LoadRow, 'reason' | 'statement'>> & {
  state: LoadRow['state']
  tableRows?: Record<string, number>
  bytes?: number
  unfit?: number
}

/** Reads when the oldest event began to wait for a destination; undefined if none waits. */
export const oldestWaiting = async (
  { db }: Pick<WarehouseServices, 'db'>,
  destinationId: string,
): Promise<Date | undefined> => {
  const found = await db
    .selectFrom('parked_deliveries')
    .select(({ fn }) => fn.min('first_time').as('time'))
    .where('destination_id', '=', destinationId)
    .where('state', '=', 'waiting')
    .executeTakeFirst()
  return found?.time ?? undefined
}

/** Returns the time before which all received events are staged. */
export const stagedUntil = async (
  deps: Pick<WarehouseServices, 'db' | 'clock'>,
  destinationId: string,
): Promise<Date> => {
  const now = deps.clock() - deliveryMs
  const oldest = await oldestWaiting(deps, destinationId)
  return new Date(Math.min(now, oldest?.getTime() ?? now))
}

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

const loadAll = async ({ warehouse }: WarehouseDefinition, context: DeliverContext): Promise<Outcome> => {
  const tableRows: Record<string, number> = {}
  let [bytes, unfit] = [0, 0]
  for (;;) {
    const report = await warehouse.load(context)
    for (const [table, rows] of Object.entries(report.rows)) tableRows[table] = (tableRows[table] ?? 0) + rows
    bytes += report.bytes
    unfit += report.unfit
    context.signal.throwIfAborted()
    if (!report.more) return { state: 'succeeded', tableRows, bytes, unfit }
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
  const shown = (text: string): string => hideSecrets(text, secrets).slice(0, maxText)
  if (error instanceof AppError)
    return { state: error.code < 500 || isLast ? 'failed' : 'running', reason: error.message }
  if (!(error instanceof DeliveryError)) return undefined
  // Trying again does not help before a user has changed something.
  const isFinal = error instanceof ConfigurationError || error instanceof RejectedError
  return {
    state: isFinal || isLast ? 'failed' : 'running',
    reason: shown(error.message),
    statement: shown(error.exchange?.request ?? ''),
  }
}

const store = async (
  { db, clock }: Pick<WarehouseServices, 'db' | 'clock'>,
  row: LoadRow,
  { state, reason = '', statement = '', tableRows = {}, bytes = 0, unfit = 0 }: Outcome,
): Promise<void> => {
  await db
    .updateTable('warehouse_loads')
    .set({
      state,
      reason,
      statement,
      table_rows: JSON.stringify(tableRows),
      bytes,
      unfit_count: unfit,
      finish_time: state === 'running' ? null : new Date(clock()),
    })
    .where('id', '=', row.id)
    .execute()
}

const runOne = async (
  deps: WarehouseServices,
  destination: DestinationRow,
  row: LoadRow,
  signal: AbortSignal,
): Promise<boolean> => {
  const { db, clock, logger } = deps
  const begun = new Date(clock())
  const attempts = row.attempts + 1
  await db
    .updateTable('warehouse_loads')
    .set({ state: 'running', start_time: row.start_time ?? begun, attempts })
    .where('id', '=', row.id)
    .execute()
  const until = await stagedUntil(deps, destination.id)
  let secrets: readonly string[] = []
  try {
    const found = await requireWarehouse(deps, destination)
    const outcome = await callConnector(deps, destination, found.definition, { withinMs, signal }, (context, texts) => {
      secrets = texts
      return row.kind === 'load' ? loadAll(found, context) : changeColumn(found, context, row)
    })
    await store(deps, row, outcome)
    if (row.kind === 'load')
      await db
        .updateTable('warehouse_states')
        .set({ load_time: begun, complete_time: until })
        .where('destination_id', '=', destination.id)
        .execute()
    return true
  } catch (error) {
    signal.throwIfAborted()
    const failure = failureOf(error, secrets, attempts >= maxAttempts)
    if (failure === undefined) {
      logger.error({ err: error, destination: destination.id }, 'a load failed with a fault of the connector')
      await store(deps, row, { state: 'failed', reason: 'The load failed. The log of the server has the reason' })
      return true
    }
    await store(deps, row, failure)
    if (failure.state === 'running') throw error
    return true
  }
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
  for (;;) {
    const row = await nextOf(deps, destination.id)
    if (row === undefined) return
    await runOne(deps, destination, row, signal)
  }
}
