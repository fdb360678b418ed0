import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ComputedTraitDefinition, editors, methods } from '@tributary/contract'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { FillSkeleton } from '../../../components/create-flow.tsx'
import { RequireAccess } from '../../../components/require-access.tsx'
import { call } from '../../../lib/api/client.ts'
import { workspaceIds } from '../../../lib/format/names.ts'
import { track } from '../../../lib/integrations/analytics.ts'
import { paths } from '../../../lib/paths.ts'
import { computedTraitQuery } from '../../../lib/queries/computed-trait-queries.ts'
import { refresh } from '../../../lib/queries/query.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import { notify } from '../../../ui/overlays/toast.tsx'
import { newDefinition } from './builder-draft.ts'
import { BuilderPage } from './builder-page.tsx'

/** Saves a new computed trait of a workspace (a resource name). */
const useCreateComputedTrait = (workspace: string) => {
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

const NewComputedTrait = () => {
  const workspace = useWorkspace().name
  const navigate = useNavigate()
  const [definition] = useState(newDefinition)
  const create = useCreateComputedTrait(workspace)
  return (
    <BuilderPage
      heading="New computed trait"
      crumbs={[
        { label: 'Profiles', to: paths.profiles(workspace) },
        { label: 'Computed traits', to: paths.computedTraits(workspace) },
      ]}
      given={{ trait: undefined, definition }}
      saveLabel="Create"
      saving={create.isPending || create.isSuccess}
      failure={create.error}
      onSave={(body) => create.mutate(body, { onSuccess: (made) => void navigate(paths.computedTrait(made.name)) })}
    />
  )
}

/** The form of a new computed trait. */
export const NewComputedTraitPage = () => (
  <RequireAccess allowed={editors} skeleton={<FillSkeleton />}>
    <NewComputedTrait />
  </RequireAccess>
)
