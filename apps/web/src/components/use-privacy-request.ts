import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type MethodRequest, methods } from '@tributary/contract'
import { call } from '../lib/api/client.ts'
import { workspaceIds } from '../lib/format/names.ts'
import { refresh } from '../lib/queries/query.ts'
import { notify } from '../ui/overlays/toast.tsx'

export type NewPrivacyRequest = MethodRequest<typeof methods.privacyRequests.create>

/** Deletes or suppresses users of a workspace (a resource name), and reloads the lists. */
export const usePrivacyRequest = (workspace: string) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (body: NewPrivacyRequest) =>
      call(methods.privacyRequests.create, { params: workspaceIds(workspace), body }),
    onSuccess: ({ kind }) => notify('success', kind === 'suppress' ? 'Users suppressed' : 'Deletion started'),
    onSettled: () => refresh(cache, ['privacyRequests', 'suppressions', 'profiles', 'events'], workspaceIds(workspace)),
  })
}
