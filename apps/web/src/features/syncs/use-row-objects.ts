import { useQuery } from '@tanstack/react-query'
import { slugOf } from '../../lib/format/names.ts'
import { catalogDestinationQuery, destinationQuery } from '../../lib/queries/workspace-queries.ts'
import { useWorkspace } from '../../lib/workspace.ts'

/** The row objects of a destination (a resource name; '' is none), as a query. */
export const useRowObjects = (destination: string) => {
  const workspace = useWorkspace().name
  const found = useQuery({ ...destinationQuery(destination), enabled: destination !== '' })
  const slug = slugOf(found.data?.app.catalog_app ?? '')
  const app = useQuery({ ...catalogDestinationQuery(workspace, slug), enabled: found.data !== undefined })
  return { data: app.data?.row_objects, isError: found.isError || app.isError }
}
