import { useQuery } from '@tanstack/react-query'
import { paths } from '../../lib/paths.ts'
import { catalogDataSourcesQuery } from '../../lib/queries/data-source-queries.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { ChooseStep } from '../../parts/create-flow.tsx'

/** What a data source can be made of. */
export const DataSourceCatalogPage = () => {
  const workspace = useWorkspace()
  const query = useQuery(catalogDataSourcesQuery(workspace.name))
  return (
    <ChooseStep
      noun="data source"
      description="Choose what to read from."
      list={{ label: 'Data sources', to: paths.dataSources(workspace.name) }}
      query={query}
      cardOf={({ name, title, description, extra }) => ({
        name,
        title,
        description,
        icon: extra.app_icon,
        categories: [],
        instances: 0,
        to: paths.newDataSource(workspace.name, name),
      })}
    />
  )
}
