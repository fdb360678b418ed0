import { useQuery } from '@tanstack/react-query'
import { destinationObjectQuery } from '../../lib/queries/workspace-queries.ts'
import { useMayEdit } from '../../lib/workspace.ts'
import { isSourceName } from './event-mapping.ts'

/** An object of a destination: the resource name, one of its row objects, and what people call it. */
export type ObjectOf = { destination: string; object: string; objectName: string }

/** What a destination tells of an object that rows go to; undefined while it is asked, for readers, and for events. */
export const useObjectDetail = ({ destination, object, objectName }: ObjectOf) => {
  const mayEdit = useMayEdit() === true
  const enabled = mayEdit && destination !== '' && object !== '' && !isSourceName(destination)
  return useQuery({ ...destinationObjectQuery(destination, object, objectName), enabled }).data
}
