import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type Audience, type AudienceQuery, methods } from '@tributary/contract'
import { call } from '../../lib/api/client.ts'
import { audienceIds, workspaceIds } from '../../lib/format/names.ts'
import { track } from '../../lib/integrations/analytics.ts'
import { audienceQuery } from '../../lib/queries/audience-queries.ts'
import { refresh } from '../../lib/queries/query.ts'
import { notify } from '../../ui/overlays/toast.tsx'

/** Saves a new audience of a workspace (a resource name). */
export const useCreateAudience = (workspace: string) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (body: { title: string; query: AudienceQuery }) =>
      call(methods.audiences.create, { params: workspaceIds(workspace), body }),
    onSuccess: (made) => {
      cache.setQueryData(audienceQuery(made.name).queryKey, made)
      track('Audience Created', { audience: made.name })
      notify('success', 'Audience Created')
    },
    onSettled: () => refresh(cache, ['audiences'], workspaceIds(workspace)),
  })
}

/** Changes the title and query of an audience; rejected if the audience has a newer version. */
export const useUpdateAudience = (audience: Pick<Audience, 'name'>) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (change: { title: string; query: AudienceQuery; version: number }) =>
      call(methods.audiences.update, {
        params: audienceIds(audience.name),
        query: { update_mask: 'title,query' },
        body: change,
      }),
    onSuccess: (updated) => {
      cache.setQueryData(audienceQuery(audience.name).queryKey, updated)
      track('Audience Updated', { audience: audience.name })
      notify('success', 'Audience Updated')
    },
    onSettled: () => {
      const { workspace } = audienceIds(audience.name)
      refresh(cache, ['audiences'], { workspace })
    },
  })
}

/** Deletes an audience. */
export const useDeleteAudience = (audience: Audience) => {
  const cache = useQueryClient()
  return useMutation<unknown, Error, void>({
    mutationFn: () => call(methods.audiences.delete, { params: audienceIds(audience.name) }),
    onSuccess: () => {
      track('Audience Deleted', { audience: audience.name })
      notify('success', 'Audience Deleted')
    },
    onSettled: () => {
      const { workspace } = audienceIds(audience.name)
      refresh(cache, ['audiences'], { workspace })
    },
  })
}
