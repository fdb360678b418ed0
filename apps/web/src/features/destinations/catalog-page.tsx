import { useQuery } from '@tanstack/react-query'
import { destinationCategories } from '@tributary/contract'
import { ChooseStep } from '../../components/create-flow.tsx'
import { paths } from '../../lib/paths.ts'
import { catalogDestinationsQuery } from '../../lib/queries/workspace-queries.ts'
import { useWorkspace } from '../../lib/workspace.ts'

/** The catalog of destinations. */
export const DestinationCatalogPage = () => {
  const workspace = useWorkspace()
  const query = useQuery(catalogDestinationsQuery(workspace.name))
  return (
    <ChooseStep
      noun="destination"
      description="Choose where to send your events."
      list={{ label: 'Destinations', to: paths.destinations(workspace.name) }}
      query={query}
      order={destinationCategories}
      cardOf={(app) => ({
        name: app.name,
        title: app.display_name,
        description: app.description,
        icon: app.extra.app_icon,
        categories: [app.category],
        abilities: [...app.data_kinds, ...app.abilities],
        popular: app.popular,
        instances: app.instance_count,
        to: paths.newDestination(workspace.name, app.name),
      })}
    />
  )
}
