import { type Db, isId } from '@tributary/api-kit'
import { audienceName } from '@tributary/audiences'
import {
  resourceNames,
  type Sync,
  type SyncAlerts,
  type SyncField,
  type SyncRun,
  type SyncRunCounts,
  syncAlerts,
  syncField,
  syncIntervals,
  syncRun,
  syncRunCounts,
  syncRunStates,
} from '@tributary/contract'
import { notFound } from '@tributary/kernel'
import type { SyncRunsTable, SyncsTable } from '@tributary/storage'
import type { Selectable } from 'kysely'
import { z } from 'zod'
import { countsOfCanceled } from './counts.ts'
import { cursorOf, presentRunCursor } from './cursor.ts'
import { modelName } from './models/read.ts'

export type SyncRow = Selectable<SyncsTable> & {
  model_title: string
  audience_id: string | null
  destination_title: string | null
  after_title: string | null
}
export type SyncRunRow = Selectable<SyncRunsTable>

export const syncName = (workspace: string, sync: string): string => resourceNames.sync.format({ workspace, sync })

/** Selects syncs with the titles of their models and targets. */
export const selectSyncs = (db: Db) =>
  db
    .selectFrom('syncs')
    .innerJoin('models', 'models.id', 'syncs.model_id')
    .leftJoin('destinations', 'destinations.id', 'syncs.destination_id')
    .leftJoin('sources', 'sources.id', 'syncs.source_id')
    .leftJoin('syncs as before', 'before.id', 'syncs.after_sync_id')
    .selectAll('syncs')
    .select(['models.title as model_title', 'models.audience_id', 'before.title as after_title'])
    .select((of) => of.fn.coalesce('destinations.title', 'sources.title').as('destination_title'))

/** Reads a sync of this workspace. Throws 404 if it does not exist or belongs to another workspace. */
export const readSync = async (db: Db, workspaceId: string, id: string): Promise<SyncRow> => {
  const row = isId(id)
    ? await selectSyncs(db).where('syncs.workspace_id', '=', workspaceId).where('syncs.id', '=', id).executeTakeFirst()
    : undefined
  if (row === undefined) throw notFound('sync not found')
  return row
}

/** Reads a run of a sync of this workspace. Throws 404 if it does not exist or belongs to another workspace. */
export const readSyncRun = async (
  db: Db,
  workspaceId: string,
  { sync, run }: { sync: string; run: string },
): Promise<SyncRunRow> => {
  const row =
    isId(sync) && isId(run)
      ? await db
          .selectFrom('sync_runs')
          .selectAll()
          .where('workspace_id', '=', workspaceId)
          .where('sync_id', '=', sync)
          .where('id', '=', run)
          .executeTakeFirst()
      : undefined
  if (row === undefined) throw notFound('run not found')
  return row
}

/** Reads the last run of each of these syncs; syncs that never ran are omitted. */
export const lastRuns = async (db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, SyncRunRow>> => {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('sync_runs')
    .innerJoin('syncs', (join) =>
      join.onRef('syncs.id', '=', 'sync_runs.sync_id').onRef('syncs.run_number', '=', 'sync_runs.number'),
    )
    .selectAll('sync_runs')
    .where('syncs.id', 'in', ids)
    .execute()
  return new Map(rows.map((row) => [row.sync_id, row]))
}

/** Returns the mapping of a sync. */
export const fieldsOf = ({ fields }: Pick<SyncRow, 'fields'>): SyncField[] =>
  z.array(syncField).parse(JSON.parse(fields))

/** Returns the alert rules of a sync. */
export const alertsOf = ({ alerts }: Pick<SyncRow, 'alerts'>): SyncAlerts => syncAlerts.parse(JSON.parse(alerts))

/** Returns the counts of the rows of a run; null if they are unknown. */
export const countsOf = ({ counts }: Pick<SyncRunRow, 'counts'>): SyncRunCounts | null =>
  counts === null ? null : syncRunCounts.parse(JSON.parse(counts))

const stateTimes = z.partialRecord(z.enum(syncRunStates), z.string())

/** Returns the time when a run last entered each of its states. */
export const stateTimesOf = ({ state_times }: Pick<SyncRunRow, 'state_times'>): SyncRun['state_times'] =>
  stateTimes.parse(JSON.parse(state_times))

const scheduleNotes: Readonly<Record<SyncRow['schedule_state'], (title: string) => string>> = {
  on_time: () => '',
  not_ended: () => 'The run before had not ended',
  failed: (title) => `The run of ${title} failed`,
  canceled: (title) => `The run of ${title} was canceled`,
  deleted: (title) => `This sync ran after ${title}, which was deleted. Choose another schedule`,
}

/** Returns why the last scheduled time of a sync started no run, or why no run will start; '' otherwise. */
const scheduleNote = ({ schedule_state, schedule_title }: Pick<SyncRow, 'schedule_state' | 'schedule_title'>): string =>
  scheduleNotes[schedule_state](schedule_title)

/** Returns the counts of a run for display. */
const shownCounts = (row: SyncRunRow): SyncRunCounts | null => {
  const counts = countsOf(row)
  return counts !== null && row.state === 'canceled' ? countsOfCanceled(counts) : counts
}

/** Returns a run in the form of the API. */
export const presentRun = (row: SyncRunRow): SyncRun => ({
  name: resourceNames.syncRun.format({ workspace: row.workspace_id, sync: row.sync_id, run: row.id }),
  state: row.state,
  trigger: row.trigger,
  resync: row.resync,
  rerun_of:
    row.rerun_of === null
      ? ''
      : resourceNames.syncRun.format({ workspace: row.workspace_id, sync: row.sync_id, run: row.rerun_of }),
  create_time: row.create_time.toISOString(),
  start_time: row.start_time?.toISOString() ?? null,
  finish_time: row.finish_time?.toISOString() ?? null,
  state_times: { queued: row.create_time.toISOString(), ...stateTimesOf(row) },
  rows_read: countsOf(row)?.read ?? 0,
  planned: row.planned === null ? null : syncRun.shape.planned.parse(JSON.parse(row.planned)),
  counts: shownCounts(row),
  cursor: presentRunCursor(row),
  message: row.message,
  alert: row.alert,
  approved_by: row.approved_by === null ? '' : resourceNames.user.format({ user: row.approved_by }),
})

/** Returns a sync in the form of the API. */
export const presentSync = (row: SyncRow, runs: ReadonlyMap<string, SyncRunRow>): Sync => {
  const last = runs.get(row.id)
  return {
    name: syncName(row.workspace_id, row.id),
    title: row.title,
    model: {
      name: modelName(row.workspace_id, row.model_id),
      title: row.model_title,
      audience: row.audience_id === null ? '' : audienceName(row.workspace_id, row.audience_id),
    },
    destination: {
      name:
        row.source_id === null
          ? resourceNames.destination.format({ workspace: row.workspace_id, destination: row.destination_id ?? '' })
          : resourceNames.source.format({ workspace: row.workspace_id, source: row.source_id }),
      title: row.destination_title ?? '',
    },
    object: row.object,
    object_name: row.object_name,
    mode: row.mode,
    identifier: row.identifier,
    fields: fieldsOf(row),
    guard_percent: row.guard_percent,
    to_destinations: row.to_destinations,
    owns_object: row.owns_object,
    cursor: cursorOf(row),
    interval_minutes: syncIntervals.find((minutes) => minutes === row.interval_minutes) ?? null,
    cron:
      row.cron === null || row.cron_time_zone === null ? null : { expression: row.cron, time_zone: row.cron_time_zone },
    after:
      row.after_sync_id === null
        ? null
        : { name: syncName(row.workspace_id, row.after_sync_id), title: row.after_title ?? '' },
    alerts: alertsOf(row),
    paused: row.paused,
    next_run_time: row.paused ? null : (row.next_run_time?.toISOString() ?? null),
    schedule_note: scheduleNote(row),
    last_run: last === undefined ? null : presentRun(last),
    create_time: row.create_time.toISOString(),
    update_time: row.update_time.toISOString(),
  }
}

/** Reads a sync, and returns it in the form of the API. */
export const showSync = async (db: Db, workspaceId: string, id: string): Promise<Sync> =>
  presentSync(await readSync(db, workspaceId, id), await lastRuns(db, [id]))
