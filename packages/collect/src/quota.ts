import { isRecord } from '@tributary/kernel'
/** Bytes per workspace that were accepted and are not yet processed. */
export type Quota = {
  /** Counts bytes as accepted; false, and nothing counted, when the workspace has its share already. */
  reserve(workspaceId: string, bytes: number): boolean
  /** Takes back what could not be written. */
  release(workspaceId: string, bytes: number): void
  isFull(workspaceId: string): boolean
  /** Takes in a report of the pipeline: per workspace the body bytes processed since its start. Other shapes are ignored. */
  processed: (report: unknown) => void
}

/**
 * Counts what each workspace has waiting, at most `limit` bytes. A report lower than the one before means that the
 * pipeline started anew and counts from 0. What was accepted before this process started is not counted; the count
 * never falls below 0.
 */
export const createQuota = (limit: number): Quota => {
  const waiting = new Map<string, number>()
  const reported = new Map<string, number>()
  const lower = (workspaceId: string, bytes: number): void => {
    const left = (waiting.get(workspaceId) ?? 0) - bytes
    if (left > 0) waiting.set(workspaceId, left)
    else waiting.delete(workspaceId)
  }
  return {
    reserve(workspaceId, bytes) {
      const now = waiting.get(workspaceId) ?? 0
      if (now >= limit) return false
      waiting.set(workspaceId, now + bytes)
      return true
    },
    release: lower,
    isFull: (workspaceId) => (waiting.get(workspaceId) ?? 0) >= limit,
    processed(report) {
      if (!isRecord(report)) return
      for (const [workspaceId, total] of Object.entries(report)) {
        if (typeof total !== 'number') continue
        const before = reported.get(workspaceId) ?? 0
        reported.set(workspaceId, total)
        lower(workspaceId, total < before ? total : total - before)
      }
    },
  }
}
