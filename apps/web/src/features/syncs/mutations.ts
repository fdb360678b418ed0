import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type DataQuery, type DataSource, type Model, methods, type SettingValue } from '@tributary/contract'
import { call } from '../../lib/api/client.ts'
import { dataSourceIds, modelIds, workspaceIds } from '../../lib/format/names.ts'
import { dataSourceQuery, modelQuery } from '../../lib/queries/data-source-queries.ts'
import { refresh } from '../../lib/queries/query.ts'
import { settingNotice } from '../../lib/settings/setting-values.ts'
import { notify } from '../../ui/overlays/toast.tsx'

/** Creates a data source of a workspace (a resource name). */
export const useCreateDataSource = (workspace: string) => {
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

/** Changes the title of a data source. */
export const useUpdateDataSource = ({ name }: DataSource) => {
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

/** Changes one setting. Cached responses of the database may belong to another one. */
export const useUpdateDataSourceSetting = ({ name }: DataSource) => {
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
export const useDeleteDataSource = ({ name }: DataSource) => {
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

/** Tests the URL and credentials. */
export const useTestDataSource = (dataSource: string) =>
  useMutation({
    mutationFn: () => call(methods.dataSources.testConnection, { params: dataSourceIds(dataSource), body: {} }),
  })

/** Reads the first rows of a query. */
export const usePreview = (dataSource: string) =>
  useMutation({
    mutationFn: (query: DataQuery) =>
      call(methods.dataSources.preview, { params: dataSourceIds(dataSource), body: { query } }),
  })

/** Lets the database parse and plan a query, and returns its columns. */
export const useValidate = (dataSource: string) =>
  useMutation({
    mutationFn: (query: DataQuery) =>
      call(methods.dataSources.validate, { params: dataSourceIds(dataSource), body: { query } }),
  })

/** Counts the rows that prevent columns from being a key. */
export const useCheckKey = (dataSource: string) =>
  useMutation({
    mutationFn: (body: { query: DataQuery; primary_key: string[] }) =>
      call(methods.dataSources.checkKey, { params: dataSourceIds(dataSource), body }),
  })

/** The entered values of a model. */
export type ModelInput = { title: string; query: DataQuery; primary_key: string[] }

/** Creates a model of a data source. */
export const useCreateModel = (dataSource: string) => {
  const cache = useQueryClient()
  const { workspace } = dataSourceIds(dataSource)
  return useMutation({
    mutationFn: (body: ModelInput) =>
      call(methods.models.create, { params: { workspace }, body: { ...body, data_source: dataSource } }),
    onSuccess: (made) => {
      cache.setQueryData(modelQuery(made.name).queryKey, made)
      notify('success', 'Model Created')
    },
    onSettled: () => refresh(cache, ['models', 'dataSources'], { workspace }),
  })
}

/** Changes a model. */
export const useUpdateModel = ({ name }: Model) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (body: Partial<ModelInput>) =>
      call(methods.models.update, {
        params: modelIds(name),
        query: { update_mask: Object.keys(body).join(',') },
        body,
      }),
    onSuccess: (updated) => {
      cache.setQueryData(modelQuery(name).queryKey, updated)
      notify('success', 'Model Updated')
    },
    onSettled: () => refresh(cache, ['models'], { workspace: modelIds(name).workspace }),
  })
}

/** Deletes a model. */
export const useDeleteModel = ({ name }: Model) => {
  const cache = useQueryClient()
  return useMutation<unknown, Error, void>({
    mutationFn: () => call(methods.models.delete, { params: modelIds(name) }),
    onSuccess: () => notify('success', 'Model Deleted'),
    onSettled: () => refresh(cache, ['models', 'dataSources'], { workspace: modelIds(name).workspace }),
  })
}
