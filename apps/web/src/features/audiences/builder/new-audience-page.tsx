import { editors } from '@tributary/contract'
import { useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { FillSkeleton } from '../../../components/create-flow.tsx'
import { RequireAccess } from '../../../components/require-access.tsx'
import { paths } from '../../../lib/paths.ts'
import { useWorkspace } from '../../../lib/workspace.ts'
import { Button, ButtonLink } from '../../../ui/button.tsx'
import { PageHeader } from '../../../ui/page/page-header.tsx'
import { NewList } from '../lists/new-list.tsx'
import { useCreateAudience } from '../mutations.ts'
import { BuilderPage } from './builder-page.tsx'
import { newTree } from './draft.ts'
import { templates } from './templates.ts'
import { useDraft } from './use-draft.ts'

/** The form of a new audience: conditions or a list. */
const From = ({ list }: { list: boolean }) => {
  const workspace = useWorkspace().name
  return (
    <nav aria-label="What the audience is made from" className="mb-5 flex flex-wrap gap-2">
      <ButtonLink
        to={paths.newAudience(workspace)}
        variant={list ? 'secondary' : 'inverse'}
        aria-current={list ? undefined : 'page'}
      >
        From conditions
      </ButtonLink>
      <ButtonLink
        to={paths.newListAudience(workspace)}
        variant={list ? 'inverse' : 'secondary'}
        aria-current={list ? 'page' : undefined}
      >
        From a list
      </ButtonLink>
    </nav>
  )
}

const heading = 'New audience'

const NewListAudience = () => (
  <>
    <PageHeader title={heading} crumbs={[{ label: 'Audiences', to: paths.audiences(useWorkspace().name) }]} />
    <From list />
    <NewList />
  </>
)

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
      heading={heading}
      crumbs={[{ label: 'Audiences', to: paths.audiences(workspace) }]}
      own=""
      title={title}
      building={building}
      above={
        <>
          <From list={false} />
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
        </>
      }
      saveLabel="Create"
      saving={create.isPending || create.isSuccess}
      failure={create.error}
      onSave={(audience) => create.mutate(audience, { onSuccess: (made) => void navigate(paths.audience(made.name)) })}
    />
  )
}

/** The builder of a new audience, or the import of a list. */
export const NewAudiencePage = () => {
  const [address] = useSearchParams()
  return (
    <RequireAccess allowed={editors} skeleton={<FillSkeleton />}>
      {address.get('from') === 'list' ? <NewListAudience /> : <NewAudience />}
    </RequireAccess>
  )
}
