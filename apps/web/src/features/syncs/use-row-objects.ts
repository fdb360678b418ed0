import { useQuery } from '@tanstack/react-query'
import { slugOf } from '../../lib/format/names.ts'
import { catalogDestinationQuery, destinationQuery } from '../../lib/queries/workspace-queries.ts'
import { useWorkspace } from '../../lib/workspace.ts'

/** Returns the row objects of a destination as a query. `destination` is a resource name, or '' if none is chosen. */
export const useRowObjects = (destination: string) => {
  const workspace = useWorkspace().name
  const found = useQuery({ ...destinationQuery(destination), enabled: destination !== '' })
  const slug = slugOf(found.data?.app.catalog_app ?? '')
  const app = useQuery({ ...catalogDestinationQuery(workspace, slug), enabled: found.data !== undefined })
  return { data: app.data?.row_objects, isError: found.isError || app.isError }
}
