import { formatRecordPlace } from '@tributary/kernel'
import { partitionOf } from '@tributary/storage'
import { askPositions } from './operations/retention.ts'
import type { RoleThread } from './roles/role-thread.ts'

/**
 * Tells the place in the log of requests before which every event of a workspace is stored, which is how far the
 * pipeline has committed; '' while that cannot be asked.
 */
export const createStoredBefore =
  (pipeline: RoleThread | undefined, partitions: number) =>
  async (workspaceId: string): Promise<string> => {
    if (pipeline === undefined || !pipeline.running()) return ''
    const positions = await askPositions(pipeline, 'positions')
    const partition = partitionOf(workspaceId, partitions)
    const place = positions.find((each) => each.partition === partition)
    return formatRecordPlace(place ?? { partition, offset: 0, incarnation: '' })
  }
