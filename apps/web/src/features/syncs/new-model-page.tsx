import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type DataSource, editors, fileTable, methods } from '@tributary/contract'
import { useNavigate, useParams, useSearchParams } from 'react-router'
import { FillSkeleton } from '../../components/create-flow.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { RequireAccess } from '../../components/require-access.tsx'
import { call } from '../../lib/api/client.ts'
import { dataSourceIds } from '../../lib/format/names.ts'
import { paths } from '../../lib/paths.ts'
import { dataSourceQuery, modelQuery } from '../../lib/queries/data-source-queries.ts'
import { refresh } from '../../lib/queries/query.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { notify } from '../../ui/overlays/toast.tsx'
import { PageHeader } from '../../ui/page/page-header.tsx'
import type { ModelInput } from './model-draft.ts'
import { newDraft } from './model-draft.ts'
import { ModelEditor } from './model-editor.tsx'

/** Creates a model of a data source. */
const useCreateModel = (dataSource: string) => {
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

const NewModel = ({ dataSource }: { dataSource: DataSource }) => {
  const workspace = useWorkspace().name
  const navigate = useNavigate()
  const [address] = useSearchParams()
  const [schema, name, title] = ['schema', 'table', 'title'].map((each) => address.get(each) ?? undefined)
  const table = schema === undefined || name === undefined ? undefined : { schema, name, title }
  const { file, people } = dataSource.app
  const create = useCreateModel(dataSource.name)
  return (
    <>
      <PageHeader
        title="New model"
        description={`Rows of ${dataSource.title}.`}
        crumbs={[
          { label: 'Data sources', to: paths.dataSources(workspace) },
          { label: dataSource.title, to: paths.dataSource(dataSource.name, 'models') },
        ]}
      />
      <div className="max-w-3xl">
        <ModelEditor
          dataSource={dataSource}
          initial={file ? { ...newDraft(fileTable), title: dataSource.title } : newDraft(table)}
          known={[]}
          ofFile={file}
          saveLabel="Create"
          isNew
          takesSql={!people}
          mayEdit
          saving={create.isPending}
          onSave={async (input) => await navigate(paths.model((await create.mutateAsync(input)).name))}
        />
      </div>
    </>
  )
}

/** The editor of a new model of a data source. */
export const NewModelPage = () => {
  const workspace = useWorkspace()
  const { dataSourceId } = useParams()
  const query = useQuery(dataSourceQuery(`${workspace.name}/dataSources/${dataSourceId ?? ''}`))
  return (
    <RequireAccess allowed={editors} skeleton={<FillSkeleton />}>
      <QueryView page query={query} skeleton={<FillSkeleton />} errorTitle="Failed to load the data source">
        {(dataSource) => <NewModel key={dataSource.name} dataSource={dataSource} />}
      </QueryView>
    </RequireAccess>
  )
}
