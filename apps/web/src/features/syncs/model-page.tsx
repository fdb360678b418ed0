import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type Model, methods, type Sync } from '@tributary/contract'
import { ArrowLeftRight } from 'lucide-react'
import { useParams } from 'react-router'
import { FillSkeleton } from '../../components/create-flow.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { ReadOnlyNote } from '../../components/settings/read-only-note.tsx'
import { SyncsCard, useDeletedSyncs, useSyncsOf } from '../../components/syncs-of.tsx'
import { call } from '../../lib/api/client.ts'
import { modelIds } from '../../lib/format/names.ts'
import { paths } from '../../lib/paths.ts'
import { dataSourceQuery, modelQuery } from '../../lib/queries/data-source-queries.ts'
import { refresh } from '../../lib/queries/query.ts'
import { useMayEdit, useWorkspace } from '../../lib/workspace.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { notify } from '../../ui/overlays/toast.tsx'
import { DeleteCard } from '../../ui/page/delete-card.tsx'
import { PageHeader } from '../../ui/page/page-header.tsx'
import type { ModelInput } from './model-draft.ts'
import { draftOf, isOfPeople } from './model-draft.ts'
import { ModelEditor } from './model-editor.tsx'

/** Changes a model. */
const useUpdateModel = ({ name }: Model) => {
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
const useDeleteModel = ({ name }: Model) => {
  const cache = useQueryClient()
  return useMutation<unknown, Error, void>({
    mutationFn: () => call(methods.models.delete, { params: modelIds(name) }),
    onSuccess: () => notify('success', 'Model Deleted'),
    onSettled: () => refresh(cache, ['models', 'dataSources'], { workspace: modelIds(name).workspace }),
  })
}

const ModelView = ({ model }: { model: Model }) => {
  const workspace = useWorkspace().name
  const mayEdit = useMayEdit() === true
  const update = useUpdateModel(model)
  const remove = useDeleteModel(model)
  const { data: source } = useQuery(dataSourceQuery(model.data_source.name))
  const isOf = (sync: Sync) => sync.model.name === model.name
  const syncs = useSyncsOf(isOf)
  const deleted = useDeletedSyncs(isOf)
  return (
    <>
      <PageHeader
        title={model.title}
        description="Model"
        crumbs={[
          { label: 'Data sources', to: paths.dataSources(workspace) },
          { label: model.data_source.title, to: paths.dataSource(model.data_source.name, 'models') },
        ]}
        action={
          mayEdit && (
            <ButtonLink to={paths.newSync(workspace, model.name)}>
              <ArrowLeftRight aria-hidden />
              Create sync
            </ButtonLink>
          )
        }
      />
      <div className="max-w-3xl space-y-5">
        <ReadOnlyNote />
        <ModelEditor
          key={model.update_time}
          dataSource={model.data_source}
          initial={draftOf(model)}
          ofFile={source?.app.file === true}
          known={model.columns.map(({ name }) => name)}
          saveLabel="Save"
          isNew={false}
          takesSql={!isOfPeople(model)}
          mayEdit={mayEdit}
          saving={update.isPending}
          onSave={update.mutateAsync}
        />
        <SyncsCard syncs={syncs} />
        {mayEdit && (
          <DeleteCard
            label="Delete model"
            description="Nothing changes in the database itself."
            mutation={remove}
            list={paths.dataSource(model.data_source.name, 'models')}
            checking={deleted === undefined}
          >
            Are you sure you want to delete the {model.title} model? {deleted}
          </DeleteCard>
        )}
      </div>
    </>
  )
}

/** One model. */
export const ModelPage = () => {
  const workspace = useWorkspace()
  const { modelId } = useParams()
  const query = useQuery(modelQuery(`${workspace.name}/models/${modelId ?? ''}`))
  return (
    <QueryView page query={query} skeleton={<FillSkeleton />} errorTitle="Failed to load the model">
      {(model) => <ModelView key={model.name} model={model} />}
    </QueryView>
  )
}
