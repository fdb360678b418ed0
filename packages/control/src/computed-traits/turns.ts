/** Who waits for a turn, and since when compared with others. */
export type Turns = {
  /** Those who wait now: who does no longer is forgotten, who is new comes behind the others. */
  offer(ids: readonly string[]): void
  /** Whose turn it is at this moment (ms): of those who may have one, who has waited longest. Undefined when there is none. */
  next(now: number): string | undefined
  /** Somebody had a turn, and may have the next one from this moment (ms) on. */
  served(id: string, from: number): void
}

/** Gives turns to who has waited longest: nobody waits for more than one turn of each other one. */
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
