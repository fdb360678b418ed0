import { useQuery } from '@tanstack/react-query'
import { type CatalogSource, methods, type SchemaTemplate, type Source } from '@tributary/contract'
import { useMemo } from 'react'
import { useNavigate, useParams, useSearchParams } from 'react-router'
import { useApiForm } from '../../components/api-form.ts'
import { FillPage, FillSkeleton, FillStep } from '../../components/create-flow.tsx'
import { DocsPanel } from '../../components/docs-panel.tsx'
import { ErrorScreen } from '../../components/error-screen.tsx'
import { useConnections } from '../../components/use-connections.ts'
import { workspaceIds } from '../../lib/format/names.ts'
import { defaultTitle } from '../../lib/format/text.ts'
import { paths } from '../../lib/paths.ts'
import { rowsQuery } from '../../lib/queries/query.ts'
import { catalogSourceQuery, destinationQuery, sourcesQuery } from '../../lib/queries/workspace-queries.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { notifyRefusal } from '../../ui/overlays/toast.tsx'
import { onTab } from '../../ui/tabs.tsx'
import { useCreateSource } from './mutations.ts'
import { SchemaPicker } from './schema-picker.tsx'
import { type NewSourceValues, newSourceForm } from './source-form.ts'
import { sourcePlaces } from './source-places.ts'

/** The templates for a new source's schema. */
const schemaTemplatesQuery = (workspace: string) =>
  rowsQuery(methods.sourceSchemaTemplates.list, { params: workspaceIds(workspace) }, ({ templates }) => templates, {
    staleTime: 60_000,
  })

/** The destination from which users came to create a source for it; undefined if they came from elsewhere. */
const useTarget = (): string | undefined => {
  const workspace = useWorkspace()
  const [address] = useSearchParams()
  const given = address.get('destination')
  return given?.startsWith(`${workspace.name}/destinations/`) === true ? given : undefined
}

/** Says to which destination the events of the new source go. */
const TargetNote = ({ destination }: { destination: string }) => {
  const { data } = useQuery(destinationQuery(destination))
  return data === undefined ? null : (
    <p className="text-sm text-ink-2">Its events will be delivered to {data.title}. You can change this later.</p>
  )
}

type Lists = { templates: readonly SchemaTemplate[]; sources: readonly Source[] }

const NewSourceForm = ({ app, lists }: { app: CatalogSource; lists: Lists | undefined }) => {
  const workspace = useWorkspace()
  const navigate = useNavigate()
  const create = useCreateSource(workspace.name, app.target_product)
  const { list, catalog } = sourcePlaces(workspace.name, app.target_product)
  const { connect } = useConnections(workspace.name, 'Destination')
  const destination = useTarget()
  const rules = useMemo(() => newSourceForm(app.has_predefined_schema), [app.has_predefined_schema])
  const form = useApiForm<NewSourceValues>(rules, {
    title: defaultTitle(app),
    // The first template is the empty schema: every source can begin with it, and users can add arriving events later.
    schema: lists?.templates[0]?.name ?? '',
  })
  const submit = async ({ title, schema }: NewSourceValues): Promise<void> => {
    const { source } = await create.mutateAsync({
      title,
      ...(schema === '' ? {} : { template: schema }),
      app: {
        name: app.name,
        display_name: app.display_name,
        icon: app.extra.app_icon,
        type: app.type,
        docs_url: app.docs_url,
        target_product: app.target_product,
      },
    })
    if (destination !== undefined)
      await connect
        .mutateAsync({ source: source.name, destination })
        .catch((error: Error) => notifyRefusal('Could not connect', error))
    await navigate(paths.source(source.name), { state: onTab('setup') })
  }
  return (
    <FillStep
      noun="source"
      description={`Create a new source for ${app.title} to start collecting data.`}
      list={list}
      catalog={catalog}
      form={form}
      onSubmit={submit}
      aside={<DocsPanel app={app} />}
    >
      {lists !== undefined && <SchemaPicker {...lists} />}
      {destination !== undefined && <TargetNote destination={destination} />}
    </FillStep>
  )
}

/** Loads the lists of the schema picker, then shows the form. Used only if the form has a picker. */
const WithLists = ({ app }: { app: CatalogSource }) => {
  const workspace = useWorkspace()
  const templates = useQuery(schemaTemplatesQuery(workspace.name))
  const sources = useQuery(sourcesQuery(workspace.name))
  if (templates.data !== undefined && sources.data !== undefined)
    return <NewSourceForm app={app} lists={{ templates: templates.data, sources: sources.data }} />
  // Waits for both lists, so that a single message reports a failure of either.
  if (templates.isPending || sources.isPending) return <FillSkeleton />
  const errors = [templates, sources].flatMap(({ error }) => (error === null ? [] : [error.message]))
  return (
    <ErrorScreen
      page
      title="Failed to load the sources"
      error={new Error([...new Set(errors)].join(' · '))}
      onRetry={() => {
        void templates.refetch()
        void sources.refetch()
      }}
    />
  )
}

/** The form for a new source of one entry of the catalog. */
export const NewSourcePage = () => {
  const workspace = useWorkspace()
  const { slug } = useParams()
  const query = useQuery(catalogSourceQuery(workspace.name, slug ?? ''))
  return (
    <FillPage query={query} errorTitle="Failed to load the sources">
      {(app) =>
        app.has_predefined_schema ? (
          <NewSourceForm key={app.name} app={app} lists={undefined} />
        ) : (
          <WithLists key={app.name} app={app} />
        )
      }
    </FillPage>
  )
}
