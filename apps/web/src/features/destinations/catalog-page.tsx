import { useQuery } from '@tanstack/react-query'
import { paths } from '../../lib/paths.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { catalogDestinationsQuery } from '../../lib/workspace-queries.ts'
import { CatalogGrid, CatalogSkeleton } from '../../ui/catalog-grid.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { QueryView } from '../../ui/query-view.tsx'

/** What a destination can be made of. */
export const DestinationCatalogPage = () => {
  const workspace = useWorkspace()
  const query = useQuery(catalogDestinationsQuery(workspace.name))
  return (
    <>
      <PageHeader
        title="Add a destination"
        documentTitle="Destination catalog"
        description="Choose where events are delivered to."
        crumbs={[{ label: 'Destinations', to: paths.destinations(workspace.name) }]}
      />
      <QueryView query={query} skeleton={<CatalogSkeleton />} errorTitle="Failed to load the catalog">
        {(apps) => (
          <CatalogGrid
            label="Search destinations"
            noun="destination"
            cards={apps.map((app) => ({
              name: app.name,
              title: app.display_name,
              description: app.description,
              icon: app.extra.app_icon,
              categories: app.data_kinds,
              instances: app.instance_count,
              to: paths.newDestination(workspace.name, app.name),
            }))}
          />
        )}
      </QueryView>
    </>
  )
}
