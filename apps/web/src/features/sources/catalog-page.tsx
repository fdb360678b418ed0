import { useQuery } from '@tanstack/react-query'
import { paths } from '../../lib/paths.ts'
import { catalogSourcesQuery } from '../../lib/queries/workspace-queries.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { ChooseStep } from '../../parts/create-flow.tsx'
import { sourceTypeName } from './source-types.ts'

/** What a source can be made of. */
export const SourceCatalogPage = () => {
  const workspace = useWorkspace()
  const query = useQuery(catalogSourcesQuery(workspace.name))
  return (
    <ChooseStep
      noun="source"
      description="Choose what sends your events."
      list={{ label: 'Sources', to: paths.sources(workspace.name) }}
      query={query}
      cardOf={(app) => ({
        name: app.name,
        title: app.title,
        description: app.description,
        icon: app.extra.app_icon,
        categories: [sourceTypeName(app.type)],
        instances: app.instance_count,
        to: paths.newSource(workspace.name, app.name),
      })}
    />
  )
}
