/** The order in which waiting owners get turns. */
export type Turns = {
  /** Sets the waiting owners. Removes all others, and adds new ones at the end. */
  offer(ids: readonly string[]): void
  /**
   * Returns the owner of the next turn at the time `now` (ms): the one that has waited longest among those that may
   * have a turn. Returns undefined if there is none.
   */
  next(now: number): string | undefined
  /** Records a turn of an owner, and the time (ms) from which it may have the next turn. */
  served(id: string, from: number): void
}

/**
 * Creates turns that go to the owner that has waited longest, so an owner waits for at most one turn of each other
 * owner.
 */
export const createTurns = (): Turns => {
  /** The time from which each owner may have a turn, in the order in which they wait. */
  const waiting = new Map<string, number>()
  return {
    offer(ids) {
      const still = new Set(ids)
      for (const id of waiting.keys()) if (!still.has(id)) waiting.delete(id)
      for (const id of ids) if (!waiting.has(id)) waiting.set(id, Number.NEGATIVE_INFINITY)
    },
    next(now) {
      for (const [id, from] of waiting) if (from <= now) return id
      return undefined
    },
    served(id, from) {
      waiting.delete(id)
      waiting.set(id, from)
    },
  }
}
