import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ComputedTrait, type ComputedTraitDefinition, methods } from '@tributary/contract'
import { call } from '../../../lib/api/client.ts'
import { computedTraitIds, workspaceIds } from '../../../lib/format/names.ts'
import { track } from '../../../lib/integrations/analytics.ts'
import { computedTraitQuery } from '../../../lib/queries/computed-trait-queries.ts'
import { refresh } from '../../../lib/queries/query.ts'
import { notify } from '../../../ui/overlays/toast.tsx'

/** Saves a new computed trait of a workspace (a resource name). */
export const useCreateComputedTrait = (workspace: string) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (body: { trait: string; definition: ComputedTraitDefinition }) =>
      call(methods.computedTraits.create, { params: workspaceIds(workspace), body }),
    onSuccess: (made) => {
      cache.setQueryData(computedTraitQuery(made.name).queryKey, made)
      track('Computed Trait Created', { computed_trait: made.name })
      notify('success', 'Computed Trait Created')
    },
    onSettled: () => refresh(cache, ['computedTraits'], workspaceIds(workspace)),
  })
}

/** Changes the definition of a version of a computed trait. */
export const useUpdateComputedTrait = ({ name, version }: ComputedTrait) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: ({ definition }: { definition: ComputedTraitDefinition }) =>
      call(methods.computedTraits.update, {
        params: computedTraitIds(name),
        query: { update_mask: 'definition' },
        body: { definition, version },
      }),
    onSuccess: (updated) => {
      cache.setQueryData(computedTraitQuery(name).queryKey, updated)
      track('Computed Trait Updated', { computed_trait: name })
      notify('success', 'Computed Trait Updated')
    },
    onSettled: () => {
      const { workspace } = computedTraitIds(name)
      refresh(cache, ['computedTraits'], { workspace })
    },
  })
}

/** Deletes a computed trait. */
export const useDeleteComputedTrait = ({ name }: ComputedTrait) => {
  const cache = useQueryClient()
  return useMutation<unknown, Error, void>({
    mutationFn: () => call(methods.computedTraits.delete, { params: computedTraitIds(name) }),
    onSuccess: () => {
      track('Computed Trait Deleted', { computed_trait: name })
      notify('success', 'Computed Trait Deleted')
    },
    onSettled: () => {
      const { workspace } = computedTraitIds(name)
      refresh(cache, ['computedTraits'], { workspace })
    },
  })
}
