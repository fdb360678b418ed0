import { setTimeout as pause } from 'node:timers/promises'
import { parseRecordPlaces, randomToken } from '@tributary/kernel'
import type { RefillFrom } from '@tributary/pipeline'
import type { RequestOf } from '../../threads/messages/message.ts'
import type { PipelineMessages } from '../../threads/messages/pipeline.ts'
import { GroupBeginning, GroupUnowned } from '../partition-ownership/group-questions.ts'

type RefillRequest = RequestOf<PipelineMessages['refill']>

/**
 * Learns the message IDs of workspaces on request. This takes longer than a response may, so the caller repeats its
 * request until the response is true. Requests with the same `run` start one refill, after earlier refills of the
 * workspace. A failure is reported once.
 */
export const refills = (refill: (workspaceId: string, from: RefillFrom | undefined) => Promise<void>) => {
  const runs = new Map<string, Promise<true>>()
  const last = new Map<string, Promise<unknown>>()

  const begin = async ({ workspaceId, since, places = '' }: RefillRequest): Promise<true> => {
    await last.get(workspaceId)?.catch(() => {})
    await refill(workspaceId, since === undefined ? undefined : { time: since, places: parseRecordPlaces(places) })
    return true
  }
  return async (request: RefillRequest): Promise<boolean> => {
    const { workspaceId, run } = request
    const known = runs.get(run)
    if (known === undefined) {
      const begun = begin(request)
      // A failure is reported to the next request, so it is ignored here.
      begun.catch(() => {})
      runs.set(run, begun)
      last.set(workspaceId, begun)
      return false
    }
    try {
      return await Promise.race([known, Promise.resolve(false)])
    } catch (error) {
      runs.delete(run)
      throw error
    }
  }
}

/** Interval in ms at which owners are asked whether message IDs are learned. */
const askMs = 100

/**
 * Makes the owners of a workspace's partitions learn its message IDs: those since a time (epoch ms), or all in the
 * deduplication window. If an owner ends, waits until its successor has learned them. Rejects if learning fails or the
 * signal is aborted.
 */
export const askRefill = async (
  refill: (request: RefillRequest) => Promise<boolean>,
  of: Omit<RefillRequest, 'run'>,
  signal: AbortSignal,
): Promise<void> => {
  const run = randomToken(9)
  const isDone = async (): Promise<boolean> => {
    try {
      return await refill({ ...of, run })
    } catch (error) {
      if (error instanceof GroupUnowned || error instanceof GroupBeginning) return false
      throw error
    }
  }
  while (!(await isDone())) await pause(askMs, undefined, { signal })
}
