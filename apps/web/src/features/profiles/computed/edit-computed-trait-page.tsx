import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ComputedTrait, type ComputedTraitDefinition, methods } from '@tributary/contract'
import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { FillPage } from '../../../components/create-flow.tsx'
import { call } from '../../../lib/api/client.ts'
import { computedTraitIds } from '../../../lib/format/names.ts'
import { track } from '../../../lib/integrations/analytics.ts'
import { paths } from '../../../lib/paths.ts'
import { computedTraitQuery } from '../../../lib/queries/computed-trait-queries.ts'
import { refresh } from '../../../lib/queries/query.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import { notify } from '../../../ui/overlays/toast.tsx'
import { BuilderPage } from './builder-page.tsx'

/** Changes the definition of a version of a computed trait. */
const useUpdateComputedTrait = ({ name, version }: ComputedTrait) => {
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

const EditComputedTrait = ({ computedTrait: given }: { computedTrait: ComputedTrait }) => {
  // The form keeps the opened version, so that another user's change is reported on saving.
  const [computedTrait] = useState(given)
  const workspace = useWorkspace().name
  const navigate = useNavigate()
  const update = useUpdateComputedTrait(computedTrait)
  const { name, trait, definition } = computedTrait
  return (
    <BuilderPage
      heading={`Edit ${trait}`}
      crumbs={[
        { label: 'Computed traits', to: paths.computedTraits(workspace) },
        { label: trait, to: paths.computedTrait(name) },
      ]}
      given={{ trait, definition }}
      saveLabel="Save Changes"
      saving={update.isPending || update.isSuccess}
      failure={update.error}
      onSave={(change) => update.mutate(change, { onSuccess: () => void navigate(paths.computedTrait(name)) })}
    />
  )
}

/** The form of an existing computed trait. */
export const EditComputedTraitPage = () => {
  const workspace = useWorkspace().name
  const { computedTraitId } = useParams()
  const query = useQuery(computedTraitQuery(`${workspace}/computedTraits/${computedTraitId ?? ''}`))
  return (
    <FillPage query={query} errorTitle="Failed to load the computed trait">
      {(computedTrait) => <EditComputedTrait key={computedTrait.name} computedTrait={computedTrait} />}
    </FillPage>
  )
}
