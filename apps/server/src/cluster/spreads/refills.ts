import { setTimeout as pause } from 'node:timers/promises'
import { parseRecordPlaces, randomToken } from '@tributary/kernel'
import type { RefillFrom } from '@tributary/pipeline'
import type { RequestOf } from '../../threads/messages/message.ts'
import type { PipelineMessages } from '../../threads/messages/pipeline.ts'
import { GroupBeginning, GroupUnowned } from '../partition-ownership/group-questions.ts'

type RefillRequest = RequestOf<PipelineMessages['refill']>

/**
 * Learns the message IDs of workspaces on request. The caller repeats its request until the response is that learning
 * is done, since that takes longer than a response may. A run begins with its first request, after those of the same
 * workspace; its failure is reported once.
 */
export const refills = (refill: (workspaceId: string, from: RefillFrom | undefined) => Promise<void>) => {
  const runs = new Map<string, { isDone: boolean; error?: unknown }>()
  const last = new Map<string, Promise<void>>()
  return async ({ workspaceId, since, places = '', run }: RefillRequest): Promise<boolean> => {
    const known = runs.get(run)
    if (known !== undefined) {
      if (known.error === undefined) return known.isDone
      runs.delete(run)
      throw known.error
    }
    const begun: { isDone: boolean; error?: unknown } = { isDone: false }
    runs.set(run, begun)
    const task = (last.get(workspaceId) ?? Promise.resolve())
      .then(() =>
        refill(workspaceId, since === undefined ? undefined : { time: since, places: parseRecordPlaces(places) }),
      )
      .then(
        () => {
          begun.isDone = true
        },
        (error: unknown) => {
          begun.error = error
        },
      )
      .finally(() => {
        if (last.get(workspaceId) === task) last.delete(workspaceId)
      })
    last.set(workspaceId, task)
    return false
  }
}

/** How often owners are polled whether message IDs are learned, ms. */
const askMs = 100

/**
 * Makes the owners of a workspace's partitions learn its message IDs, since a time (epoch ms) or of the window. If an
 * owner is gone, its successor learns them, and this waits for it. Rejects if learning fails, or the signal is aborted.
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
