import type { Clock } from '@tributary/kernel'

export type RequestRate = {
  /** Counts a request for each of these names. Undefined if it is allowed, otherwise the ms until one is. */
  take(...names: readonly string[]): number | undefined
}

/**
 * Lets each name have `perSecond` requests a second, and one second of them at once after a pause. A name without requests for a while is
 * forgotten, so that memory follows the present load. Counts are of this process.
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
