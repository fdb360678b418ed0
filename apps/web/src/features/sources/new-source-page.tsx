import { useQuery } from '@tanstack/react-query'
import { type CatalogSource, editors } from '@tributary/contract'
import { useNavigate, useParams } from 'react-router'
import type { z } from 'zod'
import { paths } from '../../lib/paths.ts'
import { defaultTitle } from '../../lib/text.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { catalogSourceQuery } from '../../lib/workspace-queries.ts'
import { Card } from '../../ui/card.tsx'
import { DocsPanel, FormLayout } from '../../ui/docs-panel.tsx'
import { Form, SubmitButton, TextField, useApiForm, useFirstField } from '../../ui/form.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { RequireAccess } from '../../ui/require-access.tsx'
import { CardSkeleton, Skeleton } from '../../ui/skeleton.tsx'
import { useCreateSource } from './mutations.ts'
import { sourceForm } from './source-form.ts'

type Values = z.infer<typeof sourceForm>

const NewSourceForm = ({ app }: { app: CatalogSource }) => {
  const workspace = useWorkspace()
  const navigate = useNavigate()
  const create = useCreateSource(workspace.name)
  const form = useApiForm<Values>(sourceForm, { title: defaultTitle(app) })
  useFirstField(form, 'title')
  const submit = async ({ title }: Values): Promise<void> => {
    const source = await create.mutateAsync({
      title,
      app: {
        name: app.name,
        display_name: app.display_name,
        icon: app.extra.app_icon,
        type: app.type,
        docs_url: app.docs_url,
      },
    })
    await navigate(paths.source(source.name))
  }
  return (
    <>
      <PageHeader
        title="New source"
        documentTitle="New source"
        description={`Create a new source for ${app.title} to start collecting data.`}
        crumbs={[
          { label: 'Sources', to: paths.sources(workspace.name) },
          { label: 'Catalogue', to: paths.catalogSources(workspace.name) },
        ]}
      />
      <FormLayout aside={<DocsPanel app={app} />}>
        <Card>
          <Form form={form} onSubmit={submit} label="New source" className="space-y-5">
            <TextField
              name="title"
              label="Title"
              required
              hint="Give your source a name"
              placeholder="Enter your source name"
              autoComplete="off"
            />
            <div className="flex justify-end">
              <SubmitButton>Create</SubmitButton>
            </div>
          </Form>
        </Card>
      </FormLayout>
    </>
  )
}

const Loading = () => (
  <div aria-busy className="space-y-6">
    <div className="space-y-2">
      <Skeleton className="h-6 w-40" />
      <Skeleton className="h-4 w-72" />
    </div>
    <FormLayout aside={<CardSkeleton />}>
      <CardSkeleton />
    </FormLayout>
  </div>
)

/** The form for a new source of one entry of the catalogue. */
export const NewSourcePage = () => {
  const workspace = useWorkspace()
  const { slug } = useParams()
  const query = useQuery(catalogSourceQuery(workspace.name, slug ?? ''))
  return (
    <RequireAccess allowed={editors} skeleton={<Loading />}>
      <QueryView page query={query} skeleton={<Loading />} errorTitle="Failed to load the sources">
        {(app) => <NewSourceForm key={app.name} app={app} />}
      </QueryView>
    </RequireAccess>
  )
}
