import { isEarlier, type RecordPlace } from '@tributary/kernel'
import type { DeliveredSequences } from '../branches/deliver.ts'
import { readAheadSequences } from '../overtaking/appended-ahead.ts'

/** Whether an earlier run appended the deliveries of a workspace's record. */
export type AlreadyAppended = (record: RecordPlace, workspaceId: string) => boolean

/**
 * Finds the deliveries that earlier runs appended to the deliveries log. These are all deliveries of requests below the
 * last sequence of a partition, which is an offset of the incarnation in its note. Records of a later incarnation at
 * lower offsets are new. In a partition that was read ahead, all deliveries below the last sequence of the reading
 * ahead are also appended, except for overtaken workspaces.
 */
export const alreadyAppended = ({ behind, ahead }: DeliveredSequences): AlreadyAppended => {
  const below = new Map<number, RecordPlace>()
  for (const { partition, sequence, note } of behind)
    below.set(partition, { partition, offset: sequence, incarnation: note })
  const isAhead = readAheadSequences(ahead)
  return (record, workspaceId) => {
    const end = below.get(record.partition)
    return (end !== undefined && isEarlier(record, end)) || isAhead(record, workspaceId)
  }
}
