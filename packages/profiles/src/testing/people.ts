/**
 * Creates functions for pseudorandom values that are the same for the same seed: whole numbers below a limit, and
 * shuffled lists.
 */
export const createRandom = (seed: number) => {
  let state = seed >>> 0
  // Mulberry32.
  const random = (below: number): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below)
  }
  const shuffled = <T>(list: readonly T[]): T[] => {
    const copy = [...list]
    for (let at = copy.length - 1; at > 0; at--) {
      const other = random(at + 1)
      const [a, b] = [copy[at], copy[other]]
      if (a !== undefined && b !== undefined) [copy[at], copy[other]] = [b, a]
    }
    return copy
  }
  return Object.assign(random, { shuffled })
}

/**
 * Returns the identifiers of each profile as one sorted text, for comparison; `owners` has the profile of each
 * identifier.
 */
export const setsOf = (owners: ReadonlyMap<string, string>): string[] =>
  [...Map.groupBy(owners.keys(), (key) => owners.get(key) ?? '').values()]
    .map((keys) => keys.toSorted().join(' '))
    .toSorted()
