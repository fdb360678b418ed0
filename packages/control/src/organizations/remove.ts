import type { Db } from '@tributary/api-kit'
import { faultPoint } from '@tributary/kernel'
import { systemOwner } from '@tributary/storage'
import { sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'
import { idList, makeChanges } from '../privacy-requests/erased-events.ts'
import { uploadFolder } from '../uploads/read.ts'

export type RemovalDeps = Pick<
  ControlDeps,
  'db' | 'eventStore' | 'files' | 'whenStored' | 'oldestLogged' | 'clock' | 'logger'
>

/** What is stored by workspace in the event store. What syncs have there goes with the syncs. */
const storedTables = [
  'events',
  'deliveries',
  'dropped_events',
  'replayed_events',
  'erased_events',
  'profile_owners',
] as const

/** What may be millions of rows, and goes by so many at a time; the rest goes with what it belongs to. */
const largeTables = [
  'profile_traits',
  'profile_identifiers',
  'profile_identifiers_apart',
  'profiles',
  'identity_operations',
  'parked_deliveries',
  'refused_requests',
] as const
const batchSize = 20_000

/** Until what is left is looked for again, ms: what was on its way is stored by then, or the logs are a piece shorter. */
const againMs = 3_600_000
/** For how long it is waited that what was received is stored, ms. */
const storedMs = 60_000

const removeEvents = async (
  { eventStore }: RemovalDeps,
  workspaces: readonly string[],
  signal: AbortSignal,
): Promise<void> => {
  const own = `workspace_id in (${idList(workspaces)})`
  for (const table of storedTables) {
    const [found] = await eventStore.query(`select 1 as one from ${table} where ${own} limit 1`, undefined, {
      owner: systemOwner,
      signal,
    })
    if (found !== undefined)
      await makeChanges(eventStore, [`alter table ${table} delete where ${own}`], workspaces[0] ?? '', signal)
  }
}

const removeRows = async ({ db, files }: RemovalDeps, workspaceId: string, signal: AbortSignal): Promise<void> => {
  for (const table of largeTables)
    for (let left = batchSize; left === batchSize; ) {
      signal.throwIfAborted()
      const { numAffectedRows } = await sql`
delete from ${sql.table(table)} where ctid = any(array(
  select ctid from ${sql.table(table)} where workspace_id = ${workspaceId}::uuid limit ${batchSize}))`.execute(db)
      left = Number(numAffectedRows ?? 0n)
    }
  const uploads = await db.selectFrom('data_sources').select('id').where('workspace_id', '=', workspaceId).execute()
  for (const { id } of uploads) await files.delete(uploadFolder({ workspaceId, dataSourceId: id }))
  for (const table of [
    'audiences',
    'computed_traits',
    'models',
    'data_sources',
    'replays',
    'identity_ledgers',
  ] as const)
    await db.deleteFrom(table).where('workspace_id', '=', workspaceId).execute()
}

/** Whether nothing is left that could still bring something in: of logs, or of what the payment provider is to be asked. */
const isOver = async (
  { db, oldestLogged }: RemovalDeps,
  { id, delete_time }: { id: string; delete_time: Date },
  workspaces: readonly string[],
): Promise<boolean> => {
  const open = async (query: Promise<unknown>): Promise<boolean> => (await query) !== undefined
  const operations = db.selectFrom('payment_operations').select('id').where('organization_id', '=', id)
  if (await open(operations.where('done_time', 'is', null).executeTakeFirst())) return false
  const onboardings = db.selectFrom('onboardings').select('id').where('organization_id', '=', id)
  if (await open(onboardings.where('billing', '=', 'open').executeTakeFirst())) return false
  for (const workspace of workspaces) if ((await oldestLogged(workspace)) <= delete_time.getTime()) return false
  return true
}

/** The last of it: what is configured, and the records of who did what, but that it was deleted. */
const removeOrganization = (db: Db, id: string): Promise<void> =>
  db.transaction().execute(async (tx) => {
    await tx
      .deleteFrom('audit_log')
      .where('organization_id', '=', id)
      .where('action', '<>', 'organizations.delete')
      .execute()
    await tx.deleteFrom('organizations').where('id', '=', id).execute()
  })

/**
 * Removes what is stored of organizations that were deleted, each as far as it can be now; to be called every now and then, and again after a
 * kill. One is over, and its row goes, when no log holds anything that was received for it before.
 */
export const removeDeletedOrganizations = async (
  deps: RemovalDeps,
  { signal }: { signal: AbortSignal },
): Promise<void> => {
  const { db, clock, whenStored, logger } = deps
  const due = await db
    .selectFrom('organizations')
    .select(['id', 'delete_time'])
    .where('delete_time', 'is not', null)
    .where('remove_time', '<=', new Date(clock()))
    .orderBy('remove_time')
    .limit(20)
    .execute()
  for (const { id, delete_time } of due)
    try {
      if (delete_time === null) continue
      const rows = await db.selectFrom('workspaces').select('id').where('organization_id', '=', id).execute()
      const workspaces = rows.map((row) => row.id)
      const over = await isOver(deps, { id, delete_time }, workspaces)
      for (const workspace of workspaces) {
        await whenStored(workspace, AbortSignal.any([signal, AbortSignal.timeout(storedMs)]))
        await removeRows(deps, workspace, signal)
      }
      if (workspaces.length > 0) await removeEvents(deps, workspaces, signal)
      faultPoint('remove-organization.before-last')
      if (over) await removeOrganization(db, id)
      else
        await db
          .updateTable('organizations')
          .set({ remove_time: new Date(clock() + againMs) })
          .where('id', '=', id)
          .execute()
    } catch (error) {
      signal.throwIfAborted()
      // The next call tries it again, and the others do not wait for it.
      logger.warn({ id, err: error }, 'a deleted organization could not be removed yet')
    }
}
