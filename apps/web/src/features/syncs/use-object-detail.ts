import { useQuery } from '@tanstack/react-query'
import { destinationObjectQuery } from '../../lib/queries/workspace-queries.ts'
import { useMayEdit } from '../../lib/workspace.ts'
import { isSourceName } from './event-mapping.ts'

/** An object of a destination: the resource name, one of its row objects, and the name that users gave it. */
export type ObjectOf = { destination: string; object: string; objectName: string }

/** The destination's description of an object of rows; undefined while it loads, for readers, and for events. */
export const useObjectDetail = ({ destination, object, objectName }: ObjectOf) => {
  const mayEdit = useMayEdit() === true
  const enabled = mayEdit && destination !== '' && object !== '' && !isSourceName(destination)
  return useQuery({ ...destinationObjectQuery(destination, object, objectName), enabled }).data
}
