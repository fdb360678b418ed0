import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type Audience, type ListReport, methods } from '@tributary/contract'
import { call } from '../../../lib/api/client.ts'
import { audienceIds, workspaceIds } from '../../../lib/format/names.ts'
import { track } from '../../../lib/integrations/analytics.ts'
import { refresh } from '../../../lib/queries/query.ts'
import { notify } from '../../../ui/overlays/toast.tsx'
import type { ListSource } from './list-form.tsx'

/** Looks up a new list of a workspace (a resource name). */
export const checkNewList = async (workspace: string, list: ListSource): Promise<ListReport> => {
  const body = { title: 'List', ...list, validate_only: true }
  return (await call(methods.audiences.importList, { params: workspaceIds(workspace), body })).report
}

/** Creates an audience from a list. */
export const useImportList = (workspace: string) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (body: ListSource & { title: string }) =>
      call(methods.audiences.importList, { params: workspaceIds(workspace), body }),
    onSuccess: ({ name }) => {
      track('Audience Created', { audience: name })
      notify('success', 'Audience Created')
    },
    onSettled: () => refresh(cache, ['audiences'], workspaceIds(workspace)),
  })
}

/** A list to add to that of an audience, or to replace it with. */
export type ListChange = ListSource & { operation: 'add' | 'replace' }

/** Looks up a changed list. */
export const checkListChange = async ({ name }: Pick<Audience, 'name'>, change: ListChange): Promise<ListReport> => {
  const body = { ...change, validate_only: true }
  return (await call(methods.audiences.changeList, { params: audienceIds(name), body })).report
}

/** Adds to the list of an audience, or replaces it; rejected if the audience has a newer version. */
export const useChangeList = ({ name, version }: Pick<Audience, 'name' | 'version'>) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (change: ListChange) =>
      call(methods.audiences.changeList, { params: audienceIds(name), body: { ...change, version } }),
    onSuccess: () => {
      track('Audience Updated', { audience: name })
      notify('success', 'List Updated')
    },
    onSettled: () => {
      const { workspace } = audienceIds(name)
      refresh(cache, ['audiences'], { workspace })
    },
  })
}

/** Removes a profile (a resource name) from the list of an audience. */
export const useRemoveFromList = ({ name }: Pick<Audience, 'name'>) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (profile: string) =>
      call(methods.audiences.removeFromList, { params: audienceIds(name), body: { profile } }),
    onSuccess: () => {
      track('Audience Updated', { audience: name })
      notify('success', 'Profile Removed')
    },
    onSettled: () => {
      const { workspace } = audienceIds(name)
      refresh(cache, ['audiences'], { workspace })
    },
  })
}
