import { isEarlier, parseEventId, parseRecordPlaces } from '@tributary/kernel'
import type { LogReader } from '@tributary/storage'

/**
 * Returns whether an event of a workspace was accepted but is not stored yet: its ID names a record in the log of
 * requests that the pipeline has not committed. False while the position of the pipeline is unknown.
 */
export const createPendingEvents =
  (deps: {
    log: Pick<LogReader, 'find'>
    /** The positions before which every event of a workspace is stored; '' while they cannot be read. */
    storedBefore: (workspaceId: string) => Promise<string>
  }) =>
  async (workspaceId: string, eventId: string): Promise<boolean> => {
    const place = parseEventId(eventId)
    if (place === undefined) return false
    const stored = parseRecordPlaces(await deps.storedBefore(workspaceId)).find(
      ({ partition }) => partition === place.partition,
    )
    if (stored === undefined || isEarlier(place, stored)) return false
    const [record] = await deps.log.find([place])
    return record?.key === workspaceId && record.incarnation === place.incarnation
  }
