import { editors } from '@tributary/contract'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { FillSkeleton } from '../../../components/create-flow.tsx'
import { RequireAccess } from '../../../components/require-access.tsx'
import { paths } from '../../../lib/paths.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import { newDefinition } from './builder-draft.ts'
import { BuilderPage } from './builder-page.tsx'
import { useCreateComputedTrait } from './mutations.ts'

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
