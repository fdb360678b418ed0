import { isEarlier, parseEventId, parseRecordPlace } from '@tributary/kernel'
import { type LogReader, partitionOf } from '@tributary/storage'

/**
 * Tells whether an event of a workspace was accepted and is not stored yet: its id names a record of the log of requests that
 * the pipeline has not committed. False while nobody can tell how far the pipeline is.
 */
export const createPendingEvents =
  (deps: {
    log: Pick<LogReader, 'partitions' | 'find'>
    /** The place before which every event of a workspace is stored; '' while that cannot be asked. */
    storedBefore: (workspaceId: string) => Promise<string>
  }) =>
  async (workspaceId: string, eventId: string): Promise<boolean> => {
    const place = parseEventId(eventId)
    if (place?.partition !== partitionOf(workspaceId, deps.log.partitions)) return false
    const stored = parseRecordPlace(await deps.storedBefore(workspaceId))
    if (stored === undefined || isEarlier(place, stored)) return false
    const [record] = await deps.log.find([place])
    return record?.key === workspaceId && record.incarnation === place.incarnation
  }
