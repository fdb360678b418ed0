import { editors } from '@tributary/contract'
import { useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { paths } from '../../lib/paths.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { FillSkeleton } from '../../parts/create-flow.tsx'
import { RequireAccess } from '../../parts/require-access.tsx'
import { Button } from '../../ui/button.tsx'
import { BuilderPage } from './builder-page.tsx'
import { newTree } from './draft.ts'
import { useCreateAudience } from './mutations.ts'
import { templates } from './templates.ts'
import { useDraft } from './use-draft.ts'

const NewAudience = () => {
  const workspace = useWorkspace().name
  const navigate = useNavigate()
  const [address] = useSearchParams()
  const asked = templates.find(({ id }) => id === address.get('template'))
  const building = useDraft(() => (asked === undefined ? newTree() : asked.tree()))
  const [title, setTitle] = useState(asked?.title ?? '')
  const create = useCreateAudience(workspace)
  return (
    <BuilderPage
      key={title}
      heading="New audience"
      crumbs={[{ label: 'Audiences', to: paths.audiences(workspace) }]}
      own=""
      title={title}
      building={building}
      above={
        <section aria-label="Templates" className="mb-5 flex flex-wrap items-center gap-2">
          <span className="text-sm text-ink-2">Start from</span>
          {templates.map((template) => (
            <Button
              key={template.id}
              size="sm"
              title={template.text}
              onClick={() => {
                building.replace(template.tree())
                setTitle(template.title)
              }}
            >
              {template.title}
            </Button>
          ))}
        </section>
      }
      saveLabel="Create"
      saving={create.isPending || create.isSuccess}
      failure={create.error}
      onSave={(audience) => create.mutate(audience, { onSuccess: (made) => void navigate(paths.audience(made.name)) })}
    />
  )
}

/** The builder of a new audience. */
export const NewAudiencePage = () => (
  <RequireAccess allowed={editors} skeleton={<FillSkeleton />}>
    <NewAudience />
  </RequireAccess>
)
