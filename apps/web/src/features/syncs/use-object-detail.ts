import { useQuery } from '@tanstack/react-query'
import { methods } from '@tributary/contract'
import { destinationIds } from '../../lib/format/names.ts'
import { query } from '../../lib/queries/query.ts'
import { useMayEdit } from '../../lib/workspace.ts'
import { isSourceName } from './event-mapping.ts'

/**
 * The destination's description of an object of rows. Each read calls the destination, so the result is cached for a
 * while.
 */
const destinationObjectQuery = (destination: string, object: string, objectName: string) =>
  query(
    methods.destinations.getObject,
    { params: destinationIds(destination), query: { object, object_name: objectName } },
    { staleTime: 300_000 },
  )

/**
 * An object of a destination: the resource name of the destination, one of its row objects, and the object name that
 * users entered.
 */
export type ObjectOf = { destination: string; object: string; objectName: string }

/**
 * Returns the destination's description of an object of rows. Undefined while it is loading, for users who can only
 * read, and for events.
 */
export const useObjectDetail = ({ destination, object, objectName }: ObjectOf) => {
  const mayEdit = useMayEdit() === true
  const enabled = mayEdit && destination !== '' && object !== '' && !isSourceName(destination)
  return useQuery({ ...destinationObjectQuery(destination, object, objectName), enabled }).data
}
