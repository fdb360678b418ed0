import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type MethodRequest, methods, type Signal } from '@tributary/contract'
import { call } from '../../lib/api/client.ts'
import { forgetRecent } from '../../lib/browser/recent.ts'
import { signalIds, workspaceIds } from '../../lib/format/names.ts'
import { refresh } from '../../lib/queries/query.ts'
import { signalQuery } from '../../lib/queries/signal-queries.ts'
import { notify, notifyRefusal } from '../../ui/overlays/toast.tsx'

/** The request for a new signal. */
export type SignalInput = Omit<MethodRequest<typeof methods.signals.create>, 'request_id'>

/** The request for a change of a signal. The caller adds the revision if the change depends on it. */
export type SignalChange = Omit<MethodRequest<typeof methods.signals.update>, 'revision'>

const useRefresh = (workspace: string) => {
  const cache = useQueryClient()
  return {
    cache,
    again: () => refresh(cache, ['signals'], workspaceIds(workspace)),
  }
}

const workspaceOf = (signal: string): string => `workspaces/${signalIds(signal).workspace}`

/**
 * Saves a new signal of a workspace (a resource name). If repeated with the same `request_id`, it is created only once.
 */
export const useCreateSignal = (workspace: string) => {
  const { cache, again } = useRefresh(workspace)
  return useMutation({
    mutationFn: (body: SignalInput & { request_id: string }) =>
      call(methods.signals.create, { params: workspaceIds(workspace), body }),
    onSuccess: (made) => {
      cache.setQueryData(signalQuery(made.name).queryKey, made)
      notify('success', 'Signal Created')
    },
    onSettled: again,
  })
}

/** Runs all changes of a draft in order, so that the last one counts. */
const draftScope = (workspace: string) => ({ id: `${workspace} signal draft` })

/** Saves the draft of a signal in a workspace (a resource name), for a reload or another browser. */
export const useSaveDraft = (workspace: string) =>
  useMutation({
    scope: draftScope(workspace),
    mutationFn: (body: MethodRequest<typeof methods.signalDrafts.update>) =>
      call(methods.signalDrafts.update, {
        params: workspaceIds(workspace),
        query: { update_mask: 'entered' },
        body,
      }),
  })

/** Discards the draft of a signal. */
export const useDiscardDraft = (workspace: string) =>
  useMutation<unknown, Error, void>({
    scope: draftScope(workspace),
    mutationFn: () => call(methods.signalDrafts.delete, { params: workspaceIds(workspace) }),
  })

/** Changes parts of a signal based on the revision that the page loaded; another user's change is not overwritten. */
export const useUpdateSignal = ({ name, revision }: Pick<Signal, 'name' | 'revision'>) => {
  const { cache, again } = useRefresh(workspaceOf(name))
  return useMutation({
    mutationFn: (change: SignalChange) => {
      const parts = Object.keys(change)
      const guarded = parts.some((part) => part !== 'title')
      return call(methods.signals.update, {
        params: signalIds(name),
        query: { update_mask: parts.join(',') },
        body: { ...change, ...(guarded ? { revision } : {}) },
      })
    },
    onSuccess: (updated) => {
      cache.setQueryData(signalQuery(name).queryKey, updated)
      notify('success', 'Signal Updated')
    },
    onSettled: again,
  })
}

/** Enables a signal, or disables one that is enabled. */
export const useEnableSignal = ({ name, enabled }: Pick<Signal, 'name' | 'enabled'>) => {
  const { cache, again } = useRefresh(workspaceOf(name))
  return useMutation<Signal, Error, void>({
    mutationFn: () =>
      call(enabled ? methods.signals.disable : methods.signals.enable, { params: signalIds(name), body: {} }),
    onSuccess: (changed) => {
      cache.setQueryData(signalQuery(name).queryKey, changed)
      notify('success', enabled ? 'Signal Disabled' : 'Signal Enabled')
    },
    onError: (error) => notifyRefusal(`Could not ${enabled ? 'disable' : 'enable'} the signal`, error),
    onSettled: again,
  })
}

/** Deletes a signal with its conversions and figures. */
export const useDeleteSignal = ({ name }: Pick<Signal, 'name'>) => {
  const { again } = useRefresh(workspaceOf(name))
  return useMutation<unknown, Error, void>({
    mutationFn: () => call(methods.signals.delete, { params: signalIds(name) }),
    onSuccess: () => {
      forgetRecent(workspaceOf(name), name)
      notify('success', 'Signal Deleted')
    },
    onSettled: again,
  })
}

/**
 * Uploads offline conversions from a CSV text; with `validate_only` it returns what would be rejected, and changes
 * nothing.
 */
export const useUploadConversions = ({ name }: Pick<Signal, 'name'>) => {
  const { again } = useRefresh(workspaceOf(name))
  return useMutation({
    mutationFn: (body: { file_name: string; content: string; validate_only: boolean }) =>
      call(methods.signals.uploadConversions, { params: signalIds(name), body }),
    onSuccess: (_, { validate_only }) => {
      if (!validate_only) again()
    },
  })
}
