import { idList, makeChanges } from '@tributary/api-kit'
import { systemOwner } from '@tributary/storage'
import { uploadFolder } from '@tributary/syncs'
import { sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'
import { closeWorkspaces } from './close.ts'

export type RemovalDeps = Pick<
  ControlDeps,
  'db' | 'eventStore' | 'files' | 'whenStored' | 'oldestLogged' | 'billing' | 'clock' | 'logger'
> & {
  /** Stores the usage of the workspaces of an organization before their events are removed. */
  keepUsage(organizationId: string, workspaces: readonly string[], signal: AbortSignal): Promise<void>
}

/**
 * Tables of the event store that have rows by workspace. Tables for syncs are missing, because their rows are removed
 * with the syncs.
 */
const storedTables = [
  'events',
  'deliveries',
  'dropped_events',
  'replayed_events',
  'erased_events',
  'profile_owners',
] as const

/**
 * Tables that may have millions of rows of a workspace, which are deleted in batches. The rows of other tables are
 * deleted with their workspace.
 */
const largeTables = [
  'profile_traits',
  'profile_consents',
  'profile_identifiers',
  'profile_identifiers_apart',
  'profiles',
  'identity_operations',
  'parked_deliveries',
  'refused_requests',
  'signal_outbox',
  'signal_clicks',
  'signal_conversions',
] as const
const batchSize = 20_000

/**
 * Time until the next search for remaining data, ms. By then, more requests in flight are stored, and the logs are
 * shorter.
 */
export const againMs = 3_600_000
/** Maximum wait until received events are stored, ms. */
const storedMs = 60_000

/** Removes the data of workspaces from the event store. */
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

/** Removes the data of a workspace that may be large. Its configuration is deleted with its row. */
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
    'signals',
    'audiences',
    'computed_traits',
    'models',
    'data_sources',
    'replays',
    'identity_ledgers',
  ] as const)
    await db.deleteFrom(table).where('workspace_id', '=', workspaceId).execute()
}

/** Removes the data of deleted workspaces of an organization, as far as possible now. */
export const removeData = async (
  deps: RemovalDeps,
  organizationId: string,
  workspaces: readonly string[],
  signal: AbortSignal,
): Promise<void> => {
  if (workspaces.length === 0) return
  await deps.db.transaction().execute((tx) => closeWorkspaces(tx, workspaces, new Date(deps.clock())))
  for (const workspace of workspaces)
    await deps.whenStored(workspace, AbortSignal.any([signal, AbortSignal.timeout(storedMs)]))
  await deps.keepUsage(organizationId, workspaces, signal)
  for (const workspace of workspaces) await removeRows(deps, workspace, signal)
  await removeEvents(deps, workspaces, signal)
}
