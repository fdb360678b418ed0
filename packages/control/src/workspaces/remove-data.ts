import { systemOwner } from '@tributary/storage'
import { sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'
import { idList, makeChanges } from '../privacy-requests/erased-events.ts'
import { uploadFolder } from '../uploads/read.ts'
import { closeWorkspaces } from './close.ts'

export type RemovalDeps = Pick<
  ControlDeps,
  'db' | 'eventStore' | 'files' | 'whenStored' | 'oldestLogged' | 'billing' | 'clock' | 'logger'
> & {
  /** Keeps what workspaces of an organization have used before their events go. */
  keepUsage(organizationId: string, workspaces: readonly string[], signal: AbortSignal): Promise<void>
}

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
  'signal_outbox',
  'signal_clicks',
  'signal_conversions',
] as const
const batchSize = 20_000

/** Until what is left is looked for again, ms: what was on its way is stored by then, or the logs are a piece shorter. */
export const againMs = 3_600_000
/** For how long it is waited that what was received is stored, ms. */
const storedMs = 60_000

/** Removes what is stored of workspaces in the event store. */
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

/** Removes what workspaces have that may be much; what they are configured with goes with their rows. */
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

/** Removes what is stored of deleted workspaces of an organization, as far as it can be now. */
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
