import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type DataSource, genericTitle, methods, type SettingValue } from '@tributary/contract'
import { DocsPanel, FormLayout } from '../../components/docs-panel.tsx'
import { ReadOnlyNote } from '../../components/settings/read-only-note.tsx'
import { SettingsCard } from '../../components/settings/settings-card.tsx'
import { TitleCard } from '../../components/settings/title-card.tsx'
import { useDeletedSyncs } from '../../components/syncs-of.tsx'
import { TestConnection } from '../../components/test-connection.tsx'
import { call } from '../../lib/api/client.ts'
import { dataSourceIds, slugOf } from '../../lib/format/names.ts'
import { count, pluralise } from '../../lib/format/text.ts'
import { paths } from '../../lib/paths.ts'
import { catalogDataSourceQuery, dataSourceQuery, modelsQuery } from '../../lib/queries/data-source-queries.ts'
import { refresh } from '../../lib/queries/query.ts'
import { settingNotice } from '../../lib/settings/setting-values.ts'
import { useMayEdit } from '../../lib/workspace.ts'
import { Card } from '../../ui/card.tsx'
import { notify } from '../../ui/overlays/toast.tsx'
import { DeleteCard } from '../../ui/page/delete-card.tsx'

/** Changes the title of a data source. */
const useUpdateDataSource = ({ name }: DataSource) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (title: string) =>
      call(methods.dataSources.update, {
        params: dataSourceIds(name),
        query: { update_mask: 'title' },
        body: { title },
      }),
    onSuccess: (updated) => {
      cache.setQueryData(dataSourceQuery(name).queryKey, updated)
      notify('success', 'Data Source Updated')
    },
    onSettled: () => refresh(cache, ['dataSources'], { workspace: dataSourceIds(name).workspace }),
  })
}

/**
 * Changes one setting of a data source. Then reloads what was read from the database, because it may now be another
 * database.
 */
const useUpdateDataSourceSetting = ({ name }: DataSource) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (body: { name: string; value: SettingValue; secrets?: Record<string, SettingValue> }) =>
      call(methods.dataSources.updateSetting, { params: dataSourceIds(name), body }),
    onSuccess: (updated, { name: setting }) => {
      notify('success', 'Setting Updated', settingNotice(updated, setting))
      cache.setQueryData(dataSourceQuery(name).queryKey, updated)
    },
    onSettled: () => refresh(cache, ['dataSources'], { workspace: dataSourceIds(name).workspace }),
  })
}

/** Deletes a data source with its models. */
const useDeleteDataSource = ({ name }: DataSource) => {
  const cache = useQueryClient()
  return useMutation<unknown, Error, void>({
    mutationFn: () => call(methods.dataSources.delete, { params: dataSourceIds(name) }),
    onSuccess: () => notify('success', 'Data Source Deleted'),
    onSettled: () => {
      const { workspace } = dataSourceIds(name)
      refresh(cache, ['dataSources', 'models'], { workspace })
    },
  })
}

/** Tests the URL and the credentials of a data source. */
const useTestDataSource = (dataSource: string) =>
  useMutation({
    mutationFn: () => call(methods.dataSources.testConnection, { params: dataSourceIds(dataSource), body: {} }),
  })

const TestCard = ({ dataSource }: { dataSource: DataSource }) => (
  <Card title="Test" description="Checks the saved address and credentials. No table is read.">
    <TestConnection test={useTestDataSource(dataSource.name)} />
  </Card>
)

/** The title, the connection, a test, and the deletion of a data source, with the guide of its kind beside them. */
export const SettingsTab = ({ dataSource }: { dataSource: DataSource }) => {
  const workspace = `workspaces/${dataSourceIds(dataSource.name).workspace}`
  const mayEdit = useMayEdit() === true
  const update = useUpdateDataSource(dataSource)
  const setting = useUpdateDataSourceSetting(dataSource)
  const remove = useDeleteDataSource(dataSource)
  const guide = useQuery(catalogDataSourceQuery(workspace, slugOf(dataSource.app.name)))
  const models = dataSource.model_count
  const known = useQuery(modelsQuery(dataSource.name))
  const names = new Set(known.data?.map(({ name }) => name))
  const deleted = useDeletedSyncs(({ model }) => names.has(model.name))
  return (
    <FormLayout aside={<DocsPanel app={dataSource.app} steps={guide.data?.guide ?? []} />}>
      <div className="min-w-0 space-y-5">
        <ReadOnlyNote />
        <TitleCard
          key={dataSource.title}
          title={dataSource.title}
          rule={genericTitle}
          mayEdit={mayEdit}
          onSave={(title) => update.mutateAsync(title)}
        />
        <SettingsCard
          description="Each setting is saved separately and applies from the next query."
          settings={dataSource.settings}
          mayEdit={mayEdit}
          onSave={setting.mutateAsync}
        />
        {mayEdit && !dataSource.app.upload && <TestCard key={dataSource.update_time} dataSource={dataSource} />}
        {mayEdit && (
          <DeleteCard
            label="Delete data source"
            description={
              dataSource.app.file
                ? `Deletes the ${dataSource.app.upload ? 'file' : 'data source'} and its models.`
                : 'Deletes the connection, its password, and its models. Nothing changes in the database itself.'
            }
            mutation={remove}
            list={paths.dataSources(workspace)}
            checking={known.isPending || deleted === undefined}
          >
            Are you sure you want to delete the {dataSource.title} data source
            {models > 0 && ` along with its ${count(models)} ${pluralise(models, 'model')}`}? {deleted}
          </DeleteCard>
        )}
      </div>
    </FormLayout>
  )
}
