import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type MethodRequest, methods, type Sync } from '@tributary/contract'
import { useNavigate } from 'react-router'
import { call } from '../../lib/api/client.ts'
import { forgetRecent } from '../../lib/browser/recent.ts'
import { syncIds, workspaceIds } from '../../lib/format/names.ts'
import { paths } from '../../lib/paths.ts'
import { refresh } from '../../lib/queries/query.ts'
import { syncQuery } from '../../lib/queries/sync-queries.ts'
import { notify, notifyRefusal } from '../../ui/overlays/toast.tsx'

/** Returns a function that reloads the syncs of a workspace and their runs. */
const useRefresh = (name: string) => {
  const cache = useQueryClient()
  const { workspace } = syncIds(name).workspace === '' ? workspaceIds(name) : syncIds(name)
  return () => refresh(cache, ['syncs', 'syncRuns'], { workspace })
}

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

/** Runs a sync now and opens the page of the run. A resync sends every row again. */
export const useRunSync = ({ name }: Pick<Sync, 'name'>) => {
  const navigate = useNavigate()
  return useMutation({
    mutationFn: (resync: boolean) => call(methods.syncs.run, { params: syncIds(name), body: { resync } }),
    onSuccess: (run) => navigate(paths.syncRun(run.name)),
    onError: (error) => notifyRefusal('Could not run the sync', error),
    onSettled: useRefresh(name),
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

/** Deletes the record of what the destination has confirmed for a sync. */
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
