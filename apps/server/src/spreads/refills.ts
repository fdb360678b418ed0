import { setTimeout as pause } from 'node:timers/promises'
import { parseRecordPlaces, randomToken } from '@tributary/kernel'
import type { RefillFrom } from '@tributary/pipeline'
import { z } from 'zod'
import { GroupBeginning, GroupUnowned } from '../groups/group-questions.ts'
import type { RoleThread } from '../roles/role-thread.ts'

/** `places` as `formatRecordPlaces`; one of before there were any names a time alone. */
const asked = z.object({
  workspaceId: z.string(),
  since: z.number().optional(),
  places: z.string().optional(),
  run: z.string(),
})

/**
 * Learns the message ids of workspaces as somebody asks for it, again and again until the answer is that it is done: that takes longer than an answer
 * may. A run begins with its first question, behind those of the same workspace; its failure is told once.
 */
export const refills = (refill: (workspaceId: string, from: RefillFrom | undefined) => Promise<void>) => {
  const runs = new Map<string, { isDone: boolean; error?: unknown }>()
  const last = new Map<string, Promise<void>>()
  return async (about: unknown): Promise<boolean> => {
    const { workspaceId, since, places = '', run } = asked.parse(about)
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

/** How often it is asked whether message ids are learned, ms. */
const askMs = 100

/**
 * Has whoever processes a part of a workspace learn its message ids, from a time on (epoch ms) or of the window. An owner that is gone has successors, which
 * learn them all the same: these are waited for. Rejects when it fails, or is aborted.
 */
export const askRefill = async (
  pipeline: Pick<RoleThread, 'ask'>,
  { workspaceId, since, places }: { workspaceId: string; since?: number | undefined; places?: string | undefined },
  signal: AbortSignal,
): Promise<void> => {
  const run = randomToken(9)
  const isDone = async (): Promise<boolean> => {
    try {
      return (await pipeline.ask('refill', { workspaceId, since, places, run })) === true
    } catch (error) {
      if (error instanceof GroupUnowned || error instanceof GroupBeginning) return false
      throw error
    }
  }
  while (!(await isDone())) await pause(askMs, undefined, { signal })
}
