import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type MethodRequest, methods, type Sync, type SyncDryRun, type SyncRun } from '@tributary/contract'
import { useNavigate } from 'react-router'
import { call } from '../../lib/api/client.ts'
import { forgetRecent } from '../../lib/browser/recent.ts'
import { syncDryRunIds, syncIds, syncRunIds, workspaceIds } from '../../lib/format/names.ts'
import { paths } from '../../lib/paths.ts'
import { refresh } from '../../lib/queries/query.ts'
import { syncDryRunQuery, syncQuery, syncRunQuery } from '../../lib/queries/sync-queries.ts'
import { notify, notifyRefusal } from '../../ui/overlays/toast.tsx'

/** Reads again what is shown of the syncs of a workspace and of their runs. */
const useRefresh = (name: string) => {
  const cache = useQueryClient()
  const { workspace } = syncIds(name).workspace === '' ? workspaceIds(name) : syncIds(name)
  return () => refresh(cache, ['syncs', 'syncRuns'], { workspace })
}

/** The entered values of a sync. */
export type SyncInput = Omit<MethodRequest<typeof methods.syncs.create>, 'request_id'>

/** Creates a sync of a workspace (a resource name). Nothing runs yet. */
export const useCreateSync = (workspace: string) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (body: SyncInput) => call(methods.syncs.create, { params: workspaceIds(workspace), body }),
    onSuccess: (made) => {
      cache.setQueryData(syncQuery(made.name).queryKey, made)
      notify('success', 'Sync Created')
    },
    onSettled: () => refresh(cache, ['syncs'], workspaceIds(workspace)),
  })
}

/** Changes of a draft run in order: the last one counts. */
const draftScope = (workspace: string) => ({ id: `${workspace} sync draft` })

/** Keeps the draft of a sync in a workspace (a resource name), for a reload and another browser. */
export const useSaveDraft = (workspace: string) =>
  useMutation({
    scope: draftScope(workspace),
    mutationFn: (body: MethodRequest<typeof methods.syncDrafts.update>) =>
      call(methods.syncDrafts.update, {
        params: workspaceIds(workspace),
        query: { update_mask: Object.keys(body).join(',') },
        body,
      }),
  })

/** Discards that draft. */
export const useDiscardDraft = (workspace: string) =>
  useMutation<unknown, Error, void>({
    scope: draftScope(workspace),
    mutationFn: () => call(methods.syncDrafts.delete, { params: workspaceIds(workspace) }),
  })

/** The subject of a dry run: an unsaved sync, or a saved one with unsaved changes. */
export type DryRunOf =
  | { workspace: string; input: MethodRequest<typeof methods.syncDryRuns.create> }
  | { sync: string; changes: MethodRequest<typeof methods.syncDryRuns.createForSync> }

/** Begins a dry run. Nothing is sent. */
export const useBeginDryRun = () => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (of: DryRunOf) =>
      'sync' in of
        ? call(methods.syncDryRuns.createForSync, { params: syncIds(of.sync), body: of.changes })
        : call(methods.syncDryRuns.create, { params: workspaceIds(of.workspace), body: of.input }),
    onSuccess: (begun) => cache.setQueryData(syncDryRunQuery(begun.name).queryKey, begun),
  })
}

/** Cancels a dry run. */
export const useCancelDryRun = ({ name }: Pick<SyncDryRun, 'name'>) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: () => call(methods.syncDryRuns.cancel, { params: syncDryRunIds(name), body: {} }),
    onSuccess: (canceled) => cache.setQueryData(syncDryRunQuery(name).queryKey, canceled),
    onError: (error) => notifyRefusal('Could not cancel the dry run', error),
  })
}

/** Shows what a run of a sync, saved or not, would send of one row. Nothing is sent. */
export const usePreviewRow = (workspace: string) =>
  useMutation({
    mutationFn: (body: MethodRequest<typeof methods.syncTestRows.preview>) =>
      call(methods.syncTestRows.preview, { params: workspaceIds(workspace), body }),
  })

/** Writes one row to the destination for a try. */
export const useSendTestRow = (workspace: string) =>
  useMutation({
    mutationFn: (body: MethodRequest<typeof methods.syncTestRows.send>) =>
      call(methods.syncTestRows.send, { params: workspaceIds(workspace), body }),
  })

/** The fields of a sync that can be changed. */
export type SyncChange = MethodRequest<typeof methods.syncs.update>

/** Changes a sync. */
export const useUpdateSync = ({ name }: Pick<Sync, 'name'>) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (body: SyncChange) =>
      call(methods.syncs.update, {
        params: syncIds(name),
        query: { update_mask: Object.keys(body).join(',') },
        body,
      }),
    onSuccess: (updated) => {
      cache.setQueryData(syncQuery(name).queryKey, updated)
      notify('success', 'Sync Updated')
    },
    onSettled: useRefresh(name),
  })
}

/** Deletes a sync with its runs. */
export const useDeleteSync = ({ name }: Pick<Sync, 'name'>) =>
  useMutation<unknown, Error, void>({
    mutationFn: () => call(methods.syncs.delete, { params: syncIds(name) }),
    onSuccess: () => {
      forgetRecent(`workspaces/${syncIds(name).workspace}`, name)
      notify('success', 'Sync Deleted')
    },
    onSettled: useRefresh(name),
  })

/** Runs a sync now, and leads to the run; a resync sends every row again. */
export const useRunSync = ({ name }: Pick<Sync, 'name'>) => {
  const navigate = useNavigate()
  return useMutation({
    mutationFn: (resync: boolean) => call(methods.syncs.run, { params: syncIds(name), body: { resync } }),
    onSuccess: (run) => navigate(paths.syncRun(run.name)),
    onError: (error) => notifyRefusal('Could not run the sync', error),
    onSettled: useRefresh(name),
  })
}

/** Runs only the rejected rows of a run, and opens the new run. */
export const useRerunRejected = ({ name }: Pick<SyncRun, 'name'>) => {
  const navigate = useNavigate()
  const cache = useQueryClient()
  const { workspace } = syncRunIds(name)
  return useMutation({
    mutationFn: () => call(methods.syncRuns.rerun, { params: syncRunIds(name), body: {} }),
    onSuccess: (run) => navigate(paths.syncRun(run.name)),
    onError: (error) => notifyRefusal('Could not rerun the rejected rows', error),
    onSettled: () => refresh(cache, ['syncs', 'syncRuns'], { workspace }),
  })
}

/** Pauses the schedule of a sync, or resumes it. */
export const usePauseSync = ({ name, paused }: Pick<Sync, 'name' | 'paused'>) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: () => call(paused ? methods.syncs.resume : methods.syncs.pause, { params: syncIds(name), body: {} }),
    onSuccess: (changed) => {
      cache.setQueryData(syncQuery(name).queryKey, changed)
      notify('success', paused ? 'Sync Resumed' : 'Sync Paused')
    },
    onError: (error) => notifyRefusal(`Could not ${paused ? 'resume' : 'pause'} the sync`, error),
    onSettled: useRefresh(name),
  })
}

/** Forgets what the destination has confirmed of a sync. */
export const useResetSync = ({ name }: Pick<Sync, 'name'>) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: () => call(methods.syncs.reset, { params: syncIds(name), body: {} }),
    onSuccess: (changed) => {
      cache.setQueryData(syncQuery(name).queryKey, changed)
      notify('success', 'Sync Reset')
    },
    onSettled: useRefresh(name),
  })
}

/** Approves or cancels a run. */
export const useChangeRun = ({ name }: Pick<SyncRun, 'name'>, verb: 'approve' | 'cancel') => {
  const cache = useQueryClient()
  const { workspace } = syncRunIds(name)
  return useMutation({
    mutationFn: () => call(methods.syncRuns[verb], { params: syncRunIds(name), body: {} }),
    onSuccess: (changed) => {
      cache.setQueryData(syncRunQuery(name).queryKey, changed)
      notify('success', verb === 'approve' ? 'Run Approved' : 'Run Canceled')
    },
    onError: (error) => notifyRefusal(`Could not ${verb} the run`, error),
    onSettled: () => refresh(cache, ['syncs', 'syncRuns'], { workspace }),
  })
}
