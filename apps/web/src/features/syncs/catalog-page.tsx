import { useQuery } from '@tanstack/react-query'
import { ChooseStep } from '../../components/create-flow.tsx'
import { paths } from '../../lib/paths.ts'
import { catalogDataSourcesQuery } from '../../lib/queries/data-source-queries.ts'
import { useWorkspace } from '../../lib/workspace.ts'

/** The catalog of data sources. */
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
