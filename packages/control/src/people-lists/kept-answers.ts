/** Maximum number of answers that stay in memory. */
const maxKept = 200

type Kept<Value> = { version: number; time: number; value: Promise<Value> }

/**
 * Keeps answers of platforms in memory, so that repeated questions do not each cost a call. Callers that ask at the same
 * time wait for one call. A failed call is not kept, and an answer is forgotten after `keptMs`. `version` changes when
 * the answer may change, such as with the settings.
 */
export const createKeptAnswers = <Value>(clock: () => number, keptMs: number) => {
  const kept = new Map<string, Kept<Value>>()
  /** Forgets old answers. The oldest comes first. */
  const forgetOld = (now: number): void => {
    for (const [key, { time }] of kept) {
      if (now - time < keptMs) return
      kept.delete(key)
    }
  }
  return {
    /** Returns the answer of a key with its time, epoch ms; asks if there is none of this version and age in ms. */
    read: async (
      { key, version, maxAgeMs }: { key: string; version: number; maxAgeMs: number },
      ask: () => Promise<Value>,
    ): Promise<{ value: Value; time: number }> => {
      const now = clock()
      forgetOld(now)
      const known = kept.get(key)
      if (known !== undefined && known.version === version && now - known.time < maxAgeMs)
        return { value: await known.value, time: known.time }
      kept.delete(key)
      const [oldest] = kept.keys()
      if (kept.size >= maxKept && oldest !== undefined) kept.delete(oldest)
      const entry: Kept<Value> = { version, time: now, value: ask() }
      kept.set(key, entry)
      try {
        return { value: await entry.value, time: now }
      } catch (error) {
        if (kept.get(key) === entry) kept.delete(key)
        throw error
      }
    },
    /** Returns the number of answers in memory. */
    count: (): number => kept.size,
    forget: (key: string): void => void kept.delete(key),
  }
}

export type KeptAnswers<Value> = ReturnType<typeof createKeptAnswers<Value>>
