import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type CatalogDataSource, genericTitle, methods, type SettingValue } from '@tributary/contract'
import { useMemo } from 'react'
import { useNavigate, useParams } from 'react-router'
import { z } from 'zod'
import { useApiForm } from '../../components/api-form.ts'
import { FillPage, FillStep } from '../../components/create-flow.tsx'
import { DocsPanel } from '../../components/docs-panel.tsx'
import { SettingFields } from '../../components/settings/setting-fields.tsx'
import { call } from '../../lib/api/client.ts'
import { workspaceIds } from '../../lib/format/names.ts'
import { paths } from '../../lib/paths.ts'
import { catalogDataSourceQuery, dataSourceQuery } from '../../lib/queries/data-source-queries.ts'
import { refresh } from '../../lib/queries/query.ts'
import { defaultSettings, filledSettings } from '../../lib/settings/setting-values.ts'
import { checkSettings, formSettings } from '../../lib/settings/settings-rule.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { notify } from '../../ui/overlays/toast.tsx'

/** Creates a data source of a workspace (a resource name). */
const useCreateDataSource = (workspace: string) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (body: { title: string; app: { name: string }; settings: Record<string, SettingValue> }) =>
      call(methods.dataSources.create, { params: workspaceIds(workspace), body }),
    onSuccess: (made) => {
      cache.setQueryData(dataSourceQuery(made.name).queryKey, made)
      notify('success', 'Data Source Created')
    },
    onSettled: () => refresh(cache, ['dataSources'], workspaceIds(workspace)),
  })
}

type DataSourceForm = { title: string; settings: Record<string, SettingValue> }

const NewDataSource = ({ app }: { app: CatalogDataSource }) => {
  const workspace = useWorkspace().name
  const navigate = useNavigate()
  const create = useCreateDataSource(workspace)
  const schema = useMemo(
    () => z.object({ title: genericTitle, settings: formSettings }).superRefine(checkSettings(app.settings)),
    [app.settings],
  )
  const form = useApiForm<DataSourceForm>(schema, { title: app.title, settings: defaultSettings(app.settings) })
  const submit = async ({ title, settings }: DataSourceForm): Promise<void> => {
    const made = await create.mutateAsync({
      title,
      app: { name: app.name },
      settings: filledSettings(app.settings, settings),
    })
    await navigate(paths.dataSource(made.name))
  }
  return (
    <FillStep
      noun="data source"
      description={`Read from ${app.title}.`}
      list={{ label: 'Data sources', to: paths.dataSources(workspace) }}
      catalog={paths.catalogDataSources(workspace)}
      form={form}
      onSubmit={submit}
      aside={<DocsPanel app={app} steps={app.guide} />}
    >
      <SettingFields options={app.settings} />
    </FillStep>
  )
}

/** The form for a new data source of one entry of the catalog. */
export const NewDataSourcePage = () => {
  const workspace = useWorkspace()
  const { slug } = useParams()
  const query = useQuery(catalogDataSourceQuery(workspace.name, slug ?? ''))
  return (
    <FillPage query={query} errorTitle="Failed to load the data source">
      {(app) => <NewDataSource key={app.name} app={app} />}
    </FillPage>
  )
}
