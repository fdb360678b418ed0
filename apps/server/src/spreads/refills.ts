import { z } from 'zod'

const asked = z.object({ workspaceId: z.string(), since: z.number().optional(), run: z.string() })

/**
 * Learns the message ids of workspaces as somebody asks for it, again and again until the answer is that it is done: that takes longer than an answer
 * may. A run begins with its first question, behind those of the same workspace; its failure is told once.
 */
export const refills = (refill: (workspaceId: string, since: number | undefined) => Promise<void>) => {
  const runs = new Map<string, { isDone: boolean; error?: unknown }>()
  const last = new Map<string, Promise<void>>()
  return async (about: unknown): Promise<boolean> => {
    const { workspaceId, since, run } = asked.parse(about)
    const known = runs.get(run)
    if (known !== undefined) {
      if (known.error === undefined) return known.isDone
      runs.delete(run)
      throw known.error
    }
    const begun: { isDone: boolean; error?: unknown } = { isDone: false }
    runs.set(run, begun)
    const task = (last.get(workspaceId) ?? Promise.resolve())
      .then(() => refill(workspaceId, since))
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
