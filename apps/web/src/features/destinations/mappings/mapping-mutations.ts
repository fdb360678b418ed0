import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type EventMapping, methods } from '@tributary/contract'
import { call } from '../../../lib/api/client.ts'
import { ApiError } from '../../../lib/api/errors.ts'
import { destinationIds } from '../../../lib/format/names.ts'
import { track } from '../../../lib/integrations/analytics.ts'
import type { MappingTrial } from '../../../lib/queries/mapping-queries.ts'
import { mappingsQuery } from '../../../lib/queries/mapping-queries.ts'
import { notify } from '../../../ui/overlays/toast.tsx'

/** True if the mappings were not saved because another user has changed them since their revision. */
export const isMappingsChanged = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 409 && error.body.reason === 'MAPPINGS_CHANGED'

/** Saves the mappings of a destination; null resets it to the presets of its app. */
export const useSaveMappings = (destination: string) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: ({ mappings, revision }: { mappings: readonly EventMapping[] | null; revision: number }) =>
      call(methods.mappings.update, {
        params: destinationIds(destination),
        body: { event_mappings: mappings === null ? null : [...mappings], revision },
      }),
    onSuccess: (updated) => {
      cache.setQueryData(mappingsQuery(destination).queryKey, updated)
      track('Destination Updated', { destination, fields: ['mappings'] })
      notify('success', 'Mappings Updated')
    },
    onError: (error) => {
      if (isMappingsChanged(error)) void cache.invalidateQueries({ queryKey: mappingsQuery(destination).queryKey })
    },
  })
}

/** Sends one event to a destination with a mapping. */
export const useSendTest = (destination: string) =>
  useMutation({
    mutationFn: (trial: MappingTrial) =>
      call(methods.mappings.sendTest, { params: destinationIds(destination), body: trial }),
  })
