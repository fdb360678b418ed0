import { endedSyncRuns, methods, type SyncRun, type SyncRunRow } from '@tributary/contract'
import { syncIds, syncRunIds, workspaceIds } from '../format/names.ts'
import { pagesQuery, query, rowsQuery } from './query.ts'

/** True while a run can still change without a user's action. */
export const isRunning = (run: Pick<SyncRun, 'state'> | null | undefined): boolean =>
  run !== null && run !== undefined && run.state !== 'needs_approval' && !endedSyncRuns.includes(run.state)

/**
 * Returns the pause in ms between reads of runs: short while one of them changes. Otherwise it is long, and finds
 * scheduled runs.
 */
const lookEvery = (runs: readonly (SyncRun | null | undefined)[]): number => (runs.some(isRunning) ? 1500 : 15_000)

/** All syncs of a workspace, each with its last run. */
export const syncsQuery = (workspace: string) =>
  rowsQuery(methods.syncs.list, { params: workspaceIds(workspace) }, ({ syncs }) => syncs, {
    refetchInterval: ({ state: { data } }) => lookEvery(data?.map(({ last_run }) => last_run) ?? []),
  })

/** A sync by resource name, with its last run. */
export const syncQuery = (sync: string) =>
  query(
    methods.syncs.get,
    { params: syncIds(sync) },
    { refetchInterval: ({ state: { data } }) => lookEvery([data?.last_run]) },
  )

/** The tokens of a workspace with which orchestrators start syncs, newest first. */
export const syncTokensQuery = (workspace: string) =>
  rowsQuery(methods.syncTokens.list, { params: workspaceIds(workspace) }, ({ sync_tokens }) => sync_tokens)

/** Reads the channels to which alerts of a workspace's syncs are sent, newest first. */
export const alertChannelsQuery = (workspace: string) =>
  rowsQuery(methods.alertChannels.list, { params: workspaceIds(workspace) }, ({ alert_channels }) => alert_channels)

/** The runs of a sync, newest first, by pages of 20. */
export const syncRunsQuery = (sync: string) =>
  pagesQuery(
    methods.syncRuns.list,
    { params: syncIds(sync), query: { page_size: 20 } },
    { refetchInterval: ({ state: { data } }) => lookEvery(data?.pages.flatMap(({ runs }) => runs) ?? []) },
  )

/** Reads a run by resource name, with the outcomes of its rows so far. */
export const syncRunQuery = (run: string) =>
  query(
    methods.syncRuns.get,
    { params: syncRunIds(run) },
    { refetchInterval: ({ state: { data } }) => lookEvery([data]) },
  )

/** The filters of the rows of a run, by key and by outcome; '' means all. */
export type RowFilters = { key: string; outcome: SyncRunRow['outcome'] | '' }
