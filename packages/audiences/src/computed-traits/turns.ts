/** The order in which waiting owners have turns. */
export type Turns = {
  /** Sets the waiting owners: others are forgotten, new ones come behind the rest. */
  offer(ids: readonly string[]): void
  /** The owner of the next turn at this moment (ms): the one that may have it and has waited longest. Undefined when there is none. */
  next(now: number): string | undefined
  /** Records a turn of an owner, which may have the next one from this moment (ms) on. */
  served(id: string, from: number): void
}

/** Gives the turn to the owner that has waited longest: none waits for more than one turn of each other one. */
export const createTurns = (): Turns => {
  /** From when each may have a turn, in the order in which they wait. */
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
