import { useQuery } from '@tanstack/react-query'
import type { Audience } from '@tributary/contract'
import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { paths } from '../../lib/paths.ts'
import { audienceQuery } from '../../lib/queries/audience-queries.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { FillPage } from '../../parts/create-flow.tsx'
import { BuilderPage } from './builder-page.tsx'
import { useUpdateAudience } from './mutations.ts'
import { useDraft } from './use-draft.ts'

const EditAudience = ({ audience: given }: { audience: Audience }) => {
  // What is edited is what was opened: a change by somebody else is told when it is saved.
  const [audience] = useState(given)
  const workspace = useWorkspace().name
  const navigate = useNavigate()
  const building = useDraft(() => audience.query)
  const update = useUpdateAudience(audience)
  return (
    <BuilderPage
      heading={`Edit ${audience.title}`}
      crumbs={[
        { label: 'Audiences', to: paths.audiences(workspace) },
        { label: audience.title, to: paths.audience(audience.name) },
      ]}
      own={audience.name}
      title={audience.title}
      building={building}
      saveLabel="Save Changes"
      saving={update.isPending || update.isSuccess}
      failure={update.error}
      onSave={(change) => update.mutate(change, { onSuccess: () => void navigate(paths.audience(audience.name)) })}
    />
  )
}

/** The builder of an audience that there is. */
export const EditAudiencePage = () => {
  const workspace = useWorkspace().name
  const { audienceId } = useParams()
  const query = useQuery(audienceQuery(`${workspace}/audiences/${audienceId ?? ''}`))
  return (
    <FillPage query={query} errorTitle="Failed to load the audience">
      {(audience) => <EditAudience key={audience.name} audience={audience} />}
    </FillPage>
  )
}
