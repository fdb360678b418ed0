import type { Tx } from '@tributary/api-kit'
import { endedSyncRuns } from '@tributary/contract'
import { clearDryRuns, endRun, fieldsOf, peopleApp, queueSync } from '@tributary/syncs'
import { sql } from 'kysely'
import type { PrivacyServices } from './services.ts'

/** A sync of the workspace's profiles, and the keys that identify rows of the deleted people. */
export type SyncKeys = { syncId: string; keys: readonly string[] }

/** The reason why a run was ended. */
const canceledBy = 'A user was deleted while it ran. The next run reads everything again'

type Synced = { id: string; source_id: string | null; fields: string; identifier: string; primary_key: string[] }

/**
 * Prevents runs of the syncs from starting before this transaction ends, so that later runs read no deleted user. Runs
 * that have already started leave out deleted users by their keys when they send. Runs whose rows become events are
 * ended, because events have other keys.
 */
const holdRuns = async (
  tx: Tx,
  deps: Pick<PrivacyServices, 'jobs' | 'clock'>,
  syncs: readonly Synced[],
): Promise<void> => {
  const ids = syncs.map(({ id }) => id)
  const lockRuns = () =>
    tx
      .selectFrom('sync_runs')
      .select(['id', 'sync_id', 'state'])
      .where('sync_id', 'in', ids)
      .where('state', 'not in', [...endedSyncRuns])
      .orderBy('id')
      .forUpdate()
      .execute()
  // Locks are taken in the same order as in other places that end a run, so that they cannot deadlock.
  await lockRuns()
  await tx.selectFrom('syncs').select('id').where('id', 'in', ids).orderBy('id').forUpdate().execute()
  for (const run of await lockRuns()) {
    const becomesEvents = syncs.some(({ id, source_id }) => id === run.sync_id && source_id !== null)
    if (!becomesEvents || run.state === 'queued' || run.state === 'canceling') continue
    await endRun(tx, deps, run.id, 'cancel', { message: canceledBy })
    await queueSync(tx, deps.jobs, run.sync_id)
  }
}

/** Returns the key of a row whose key column has the value of a trait, given as JSON. */
const keyOf = (json: string): string => (json.startsWith('"') ? String(JSON.parse(json)) : json)

/**
 * Reads all keys by which syncs of profiles can identify rows of these people. Call it before their profiles are
 * deleted, in the same transaction. Also ends dry runs that may have read the people, and removes samples of dry runs.
 */
export const readSyncKeys = async (
  tx: Tx,
  deps: Pick<PrivacyServices, 'jobs' | 'clock'>,
  workspaceId: string,
  identifiers: readonly { type: string; value: string }[],
): Promise<SyncKeys[]> => {
  const { rows: models } = await sql<{ id: string }>`
    select m.id from models m join data_sources d on d.id = m.data_source_id
    where d.workspace_id = ${workspaceId}::uuid and d.app = ${peopleApp}`.execute(tx)
  if (models.length === 0) return []
  const ids = models.map(({ id }) => id)
  await clearDryRuns(tx, ids, new Date(deps.clock()))
  const syncs: Synced[] = await tx
    .selectFrom('syncs')
    .innerJoin('models', 'models.id', 'syncs.model_id')
    .select(['syncs.id', 'syncs.fields', 'syncs.source_id', 'syncs.identifier', 'models.primary_key'])
    .where('model_id', 'in', ids)
    .execute()
  if (syncs.length === 0) return []
  await holdRuns(tx, deps, syncs)
  // The lock keeps new facts about these people from being stored until their deletion.
  await sql`select from identity_ledgers where workspace_id = ${workspaceId}::uuid for update`.execute(tx)
  const columnsOf = (sync: Synced): string[] => [
    ...fieldsOf(sync).flatMap(({ column, target }) => (target === sync.identifier ? [column] : [])),
    ...(sync.primary_key.length === 1 ? sync.primary_key : []),
  ]
  const columns = [...new Set(syncs.flatMap(columnsOf))]
  const { rows: values } = await sql<{ name: string; text: string; json: boolean }>`
    with asked as (select type, value from json_to_recordset(${JSON.stringify(identifiers)}::json) as row (type text, value text)),
    own as (
      select distinct i.profile_id as id from profile_identifiers i
      join asked on i.value = asked.value and (i.type = asked.type or i.type = 'previous_id')
      where i.workspace_id = ${workspaceId}::uuid
    ),
    names as (
      select i.type, i.value, i.sequence from own join profile_identifiers i
        on i.workspace_id = ${workspaceId}::uuid and i.profile_id = own.id
    )
    select type as name, value as text, false as json from names
    union select type, value, false from asked
    union select 'profile_id', p.id::text, false from own join profiles p on p.workspace_id = ${workspaceId}::uuid
      and (p.id = own.id or p.merged_into = own.id)
    union select t.name, said.value, true from names
    join profile_traits t on t.workspace_id = ${workspaceId}::uuid and t.identifier = names.sequence
    cross join lateral (
      select t.value union all select each ->> 'value' from jsonb_array_elements(t.earlier) as each
    ) as said (value)
    where t.name = any(${columns}::text[]) and said.value is not null`.execute(tx)
  return syncs.map((sync) => {
    const named = new Set(columnsOf(sync))
    const keys = values.filter(({ name }) => named.has(name)).map(({ text, json }) => (json ? keyOf(text) : text))
    return { syncId: sync.id, keys: [...new Set(keys)] }
  })
}

/** Stores the keys that identify rows of a request's people, until the rows are removed. */
export const writeSyncKeys = async (tx: Tx, requestId: string, known: readonly SyncKeys[]): Promise<void> => {
  if (known.length === 0) return
  await tx
    .insertInto('privacy_syncs')
    .values(
      known.map(({ syncId, keys }) => ({ request_id: requestId, sync_id: syncId, keys: [...keys], swept_run: null })),
    )
    .execute()
}
