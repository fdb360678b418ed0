import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type MethodRequest, methods, type OwnConnector } from '@tributary/contract'
import { call } from '../../../lib/api/client.ts'
import { saveFile } from '../../../lib/browser/save-file.ts'
import { ownConnectorIds, workspaceIds } from '../../../lib/format/names.ts'
import { ownConnectorQuery, ownConnectorsQuery } from '../../../lib/queries/own-connector-queries.ts'
import { refresh } from '../../../lib/queries/query.ts'
import { notify, notifyRefusal } from '../../../ui/overlays/toast.tsx'

const workspaceOf = (own: string): string => `workspaces/${ownConnectorIds(own).workspace}`

/** Creates an own connector as a draft. */
export const useCreateOwn = (workspace: string) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (body: { title?: string; from?: string; file?: string }) =>
      call(methods.ownConnectors.create, { params: workspaceIds(workspace), body }),
    onSuccess: (own) => {
      cache.setQueryData(ownConnectorQuery(own.name).queryKey, own)
      notify('success', 'Draft Created')
    },
    onSettled: () => void cache.invalidateQueries({ queryKey: ownConnectorsQuery(workspace).queryKey }),
  })
}

/** The changes of an own connector that are saved at once. */
export type OwnChange = { title?: string; description?: string; guide?: string }

/** Saves changes that are based on the draft with this revision. */
export const useSaveOwn = (own: string) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: ({ change, revision }: { change: OwnChange; revision: number }) =>
      call(methods.ownConnectors.update, {
        params: ownConnectorIds(own),
        query: { update_mask: Object.keys(change).join(',') },
        body: { ...change, ...('description' in change || 'guide' in change ? { draft_revision: revision } : {}) },
      }),
    onSuccess: (saved, { change }) => {
      cache.setQueryData(ownConnectorQuery(own).queryKey, saved)
      notify('success', 'title' in change ? 'Title Saved' : 'Draft Saved')
    },
    onSettled: () => void cache.invalidateQueries({ queryKey: ownConnectorsQuery(workspaceOf(own)).queryKey }),
  })
}

/** Publishes the draft as a new version. */
export const usePublishOwn = (own: string) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (body: { note: string; hold: boolean; draft_revision: number }) =>
      call(methods.ownConnectors.publish, { params: ownConnectorIds(own), body }),
    onSuccess: (saved: OwnConnector) => {
      cache.setQueryData(ownConnectorQuery(own).queryKey, saved)
      notify('success', `Version ${saved.current_version} Published`)
    },
    onSettled: () =>
      refresh(cache, ['ownConnectors', 'catalogDestinations', 'destinations', 'mappings'], {
        workspace: ownConnectorIds(own).workspace,
      }),
  })
}

/** Deletes an own connector with its versions. */
export const useDeleteOwn = (own: string) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: () => call(methods.ownConnectors.delete, { params: ownConnectorIds(own) }),
    onSuccess: () => notify('success', 'Destination Deleted'),
    onSettled: () => {
      void cache.invalidateQueries({ queryKey: ownConnectorsQuery(workspaceOf(own)).queryKey })
      refresh(cache, ['catalogDestinations'], { workspace: ownConnectorIds(own).workspace })
    },
  })
}

/** Makes the browser save the draft, or a version, as a file. */
export const useExportOwn = (own: string) =>
  useMutation({
    mutationFn: (version: number | undefined) =>
      call(methods.ownConnectors.export, {
        params: ownConnectorIds(own),
        query: version === undefined ? {} : { version: String(version) },
      }),
    onSuccess: ({ file_name: name, file }) => saveFile(name, file, 'application/json'),
    onError: (error) => notifyRefusal('Could not export', error),
  })

/** The content of a trial. */
export type OwnTrial = MethodRequest<typeof methods.ownConnectors.try>

/** Sends one event, or the test of the connection, with texts that may not be saved. */
export const useTryOwn = (own: string) =>
  useMutation({
    mutationFn: (body: OwnTrial) => call(methods.ownConnectors.try, { params: ownConnectorIds(own), body }),
  })

/** Checks texts once. */
export const checkOwn = (own: string, texts: { description: string; guide: string }) =>
  call(methods.ownConnectors.check, { params: ownConnectorIds(own), body: texts })
