import type { Clock } from '@tributary/kernel'

export type RequestRate = {
  /**
   * Counts a request for each of these names. Returns undefined if the request is allowed, and otherwise the ms until a
   * request is allowed.
   */
  take(...names: readonly string[]): number | undefined
}

/**
 * Allows each name a number of requests per second (`limits`). After a pause, all requests of one second may come at
 * once. Forgets a name after a second without requests if there are many names, to limit memory. Counts the requests of
 * this process only.
 */
export const createRequestRate = (limits: (name: string) => number, clock: Clock): RequestRate => {
  const kept = new Map<string, { left: number; at: number }>()
  const refill = (name: string, now: number): { left: number; at: number } => {
    const most = limits(name)
    const known = kept.get(name)
    if (known === undefined) {
      const fresh = { left: most, at: now }
      kept.set(name, fresh)
      return fresh
    }
    known.left = Math.min(most, known.left + (Math.max(0, now - known.at) / 1000) * most)
    known.at = now
    return known
  }
  return {
    take(...names) {
      const now = clock()
      if (kept.size > 10_000) for (const [name, { at }] of kept) if (now - at > 1000) kept.delete(name)
      const states = names.map((name) => ({ state: refill(name, now), most: limits(name) }))
      const wait = Math.max(0, ...states.map(({ state, most }) => ((1 - state.left) / most) * 1000))
      if (wait > 0) return wait
      for (const { state } of states) state.left -= 1
      return undefined
    },
  }
}
