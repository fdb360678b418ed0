import { useQuery } from '@tanstack/react-query'
import { paths } from '../../lib/paths.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { catalogSourcesQuery } from '../../lib/workspace-queries.ts'
import { CatalogGrid, CatalogSkeleton } from '../../ui/catalog-grid.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { sourceTypeName } from './source-types.ts'

/** What a source can be made of. */
export const SourceCatalogPage = () => {
  const workspace = useWorkspace()
  const query = useQuery(catalogSourcesQuery(workspace.name))
  return (
    <>
      <PageHeader
        title="Add a source"
        documentTitle="Source catalog"
        description="Choose what sends the events."
        crumbs={[{ label: 'Sources', to: paths.sources(workspace.name) }]}
      />
      <QueryView query={query} skeleton={<CatalogSkeleton />} errorTitle="Failed to load the catalog">
        {(apps) => (
          <CatalogGrid
            label="Search sources"
            noun="source"
            cards={apps.map((app) => ({
              name: app.name,
              title: app.title,
              description: app.description,
              icon: app.extra.app_icon,
              categories: [sourceTypeName(app.type)],
              instances: app.instance_count,
              to: paths.newSource(workspace.name, app.name),
            }))}
          />
        )}
      </QueryView>
    </>
  )
}
