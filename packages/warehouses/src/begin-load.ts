import { isDeepStrictEqual } from 'node:util'
import type { Tx } from '@tributary/api-kit'
import { type ColumnChange, warehouseLimits } from '@tributary/contract'
import { conflict, newId } from '@tributary/kernel'
import type { JobKind, JobSender, WarehouseLoadsTable } from '@tributary/storage'
import type { Selectable } from 'kysely'
import { z } from 'zod'

export type LoadRow = Selectable<WarehouseLoadsTable>

const loadJobData = z.object({ workspace: z.string(), destination: z.string() })

/** Runs the waiting loads and changes of a warehouse, one after the other. */
export const loadJob: JobKind<z.output<typeof loadJobData>> = {
  name: 'load-warehouse',
  data: loadJobData,
  // If all retries fail, the check of each minute starts the job again.
  retries: { most: 5, pauseSeconds: 5, maxPauseSeconds: 120 },
  leaseSeconds: 30,
  maxSeconds: 4 * 60 * 60,
  atOnce: 4,
  exclusive: true,
  keepSeconds: 60 * 60,
}

type Place = { id: string; workspace_id: string }

/** Runs the waiting work of a warehouse after the commit. Does nothing if its job is already queued. */
export const queueLoads = async (
  db: Parameters<JobSender['send']>[0],
  jobs: JobSender,
  { id, workspace_id }: Place,
): Promise<void> => {
  await jobs.send(db, loadJob, { workspace: workspace_id, destination: id }, { key: id })
}

const hourMs = 60 * 60_000

/** Adds the state of a warehouse if it has none. The check of each minute moves its next load to the pace of the settings. */
export const ensureState = async (tx: Tx, { id }: Pick<Place, 'id'>, time: Date): Promise<void> => {
  await tx
    .insertInto('warehouse_states')
    .values({ destination_id: id, next_load_time: new Date(time.getTime() + 24 * hourMs) })
    .onConflict((conflict) => conflict.column('destination_id').doNothing())
    .execute()
}

/**
 * Adds a load in the caller's transaction, and returns its ID. A load of the destination that waits or runs already is
 * returned.
 */
export const beginLoad = async (
  tx: Tx,
  jobs: JobSender,
  destination: Place,
  given: { trigger: LoadRow['trigger']; createdBy: string | null; time: Date },
): Promise<string> => {
  // Serializes the starts of loads.
  await tx.selectFrom('destinations').select('id').where('id', '=', destination.id).forUpdate().execute()
  const open = await tx
    .selectFrom('warehouse_loads')
    .select('id')
    .where('destination_id', '=', destination.id)
    .where('state', 'in', ['waiting', 'running'])
    .where('kind', '=', 'load')
    .executeTakeFirst()
  const id = open?.id ?? newId()
  if (open === undefined)
    await tx
      .insertInto('warehouse_loads')
      .values({
        id,
        workspace_id: destination.workspace_id,
        destination_id: destination.id,
        kind: 'load',
        state: 'waiting',
        trigger: given.trigger,
        created_by: given.createdBy,
        create_time: given.time,
      })
      .execute()
  await ensureState(tx, destination, given.time)
  await queueLoads(tx, jobs, destination)
  return id
}

/**
 * Adds a change of a column in the caller's transaction, and returns its ID. The same change that waits already is
 * returned. Throws 409 if many changes wait.
 */
export const beginChange = async (
  tx: Tx,
  jobs: JobSender,
  destination: Place,
  given: { change: ColumnChange; createdBy: string | null; time: Date },
): Promise<string> => {
  await tx.selectFrom('destinations').select('id').where('id', '=', destination.id).forUpdate().execute()
  const { kind, ...change } = given.change
  const open = await tx
    .selectFrom('warehouse_loads')
    .select(['id', 'kind', 'change'])
    .where('destination_id', '=', destination.id)
    .where('state', '=', 'waiting')
    .where('kind', '<>', 'load')
    .execute()
  const same = open.find((row) => row.kind === kind && isDeepStrictEqual(row.change, change))
  if (same !== undefined) return same.id
  if (open.length >= warehouseLimits.openChanges)
    throw conflict('TOO_MANY_CHANGES', `${open.length} changes wait already. Try again when some have run`)
  const id = newId()
  await tx
    .insertInto('warehouse_loads')
    .values({
      id,
      workspace_id: destination.workspace_id,
      destination_id: destination.id,
      kind,
      change: JSON.stringify(change),
      state: 'waiting',
      trigger: 'user',
      created_by: given.createdBy,
      create_time: given.time,
    })
    .execute()
  await queueLoads(tx, jobs, destination)
  return id
}
