import { recordPlace } from '@tributary/pipeline'
import { type LogWriter, partitionOf } from '@tributary/storage'

/** An event's id: partition, offset and index. */
const idPattern = /^(\d+)-\d{10,}-\d{4,}$/

/**
 * Tells whether an event of a workspace was accepted and is not stored yet: its id names a place in the log of requests that
 * the pipeline has not committed. False while nobody can tell how far the pipeline is.
 */
export const createPendingEvents =
  (deps: {
    log: Pick<LogWriter, 'partitions' | 'stats'>
    /** The place before which every event of a workspace is stored; '' while that cannot be asked. */
    storedBefore: (workspaceId: string) => Promise<string>
  }) =>
  async (workspaceId: string, eventId: string): Promise<boolean> => {
    const partition = partitionOf(workspaceId, deps.log.partitions)
    if (Number(idPattern.exec(eventId)?.[1] ?? -1) !== partition) return false
    const storedBefore = await deps.storedBefore(workspaceId)
    if (storedBefore === '' || eventId < storedBefore) return false
    const { partitions } = await deps.log.stats()
    const next = partitions.find((each) => each.partition === partition)?.next ?? 0
    return eventId < recordPlace(partition, next)
  }
