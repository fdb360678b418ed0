import { useQuery } from '@tanstack/react-query'
import { type Audience, type DataSource, type Model, peopleTables } from '@tributary/contract'
import { Plus } from 'lucide-react'
import { SyncsCard, useSyncsOf } from '../../components/syncs-of.tsx'
import { useFlag } from '../../lib/integrations/flags.ts'
import { paths } from '../../lib/paths.ts'
import { allModelsQuery, dataSourcesQuery } from '../../lib/queries/data-source-queries.ts'
import { useMayEdit, useWorkspace } from '../../lib/workspace.ts'
import { ButtonLink } from '../../ui/button.tsx'

/**
 * Returns the page on which a user begins a sync of an audience. This is the form for a sync of the model of the
 * members or, without such a model, the model editor. Without the data source that the editor needs, this is the form
 * for creating it.
 */
export const newSyncPath = (
  workspace: string,
  audience: Pick<Audience, 'name' | 'title'>,
  { models, dataSources }: { models: readonly Model[]; dataSources: readonly DataSource[] },
): string => {
  const model = models.find((each) => each.audience?.name === audience.name)
  if (model !== undefined) return paths.newSync(workspace, model.name)
  const people = dataSources.find(({ app }) => app.people)
  if (people === undefined) return paths.newDataSource(workspace, 'catalogDataSources/profiles')
  const id = audience.name.slice(audience.name.lastIndexOf('/') + 1)
  return paths.newModel(people.name, { schema: peopleTables.audiences, name: id, title: audience.title })
}

/** The syncs that send the members of an audience as rows, and a link that creates another one. */
const Syncs = ({ audience }: { audience: Audience }) => {
  const workspace = useWorkspace().name
  const mayEdit = useMayEdit() === true
  const syncs = useSyncsOf((sync) => sync.model.audience === audience.name)
  const models = useQuery({ ...allModelsQuery(workspace), enabled: mayEdit }).data
  const dataSources = useQuery({ ...dataSourcesQuery(workspace), enabled: mayEdit }).data
  return (
    <div className="space-y-5">
      <SyncsCard syncs={syncs} />
      {mayEdit && models !== undefined && dataSources !== undefined && (
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="min-w-0 flex-1 basis-64 text-sm text-ink-2">
            A sync sends the members as rows, with their traits as columns, to a database, a file, or a list of
            contacts.
          </p>
          <ButtonLink to={newSyncPath(workspace, audience, { models, dataSources })}>
            <Plus aria-hidden />
            New sync
          </ButtonLink>
        </div>
      )}
    </div>
  )
}

/** The syncs of an audience; nothing while syncs are switched off. */
export const AudienceSyncs = ({ audience }: { audience: Audience }) => useFlag('syncs') && <Syncs audience={audience} />
