/**
 * Kinds of holders of a pool: the network that a request comes from; the user, workspace or organization of the
 * request; and its kind of work.
 */
export type HolderKind = 'network' | 'user' | 'workspace' | 'organization' | 'work'

/** The names of the holders of a hold, by kind. */
export type Holders = Readonly<Partial<Record<HolderKind, string>>>

/** Maximum units of one holder of each kind; an omitted kind has no limit. */
export type Shares = Readonly<Partial<Record<HolderKind, number>>>

/** The exceeded limit: the share of a holder of that kind, or the total of the pool. */
export type PoolBound = HolderKind | 'total'

export type PoolOptions = {
  /** Maximum units of all holders together, such as calls or bytes. */
  total: number
  shares: Shares
  /**
   * Kinds of holders for which each holder must leave as many units free as it holds, in the pool and in the share of
   * its kind of work. Their shares shrink while the pool fills up (dynamic thresholds, Choudhury and Hahne 1998): even
   * many holders that take the maximum leave capacity for the next holder.
   */
  shrinking?: readonly HolderKind[]
}

/** A hold on units of a pool, for all of its holders. */
export type PoolHold = {
  /** Takes more units. Returns false, and takes nothing, if a share or the total would be exceeded. */
  add(units: number): boolean
  /** Releases some of the units. */
  drop(units: number): void
  /**
   * Also counts the hold for another holder, once even if called again. Returns false and does not count the hold if
   * the share of that holder would be exceeded.
   */
  join(kind: HolderKind, name: string): boolean
  /** Releases the remaining units; can be called more than once. */
  release(): void
}

/** A limited number of units that holders take and release. */
export type Pool = {
  /** Returns the limit that prevents the holders from taking this number of units; undefined if they can take them. */
  bound(holders: Holders, units?: number): PoolBound | undefined
  /** Opens an empty hold, to which units are added as needed. */
  open(holders: Holders): PoolHold
  /** Takes units (default 1). Returns undefined and takes nothing if a limit would be exceeded. */
  take(holders: Holders, units?: number): PoolHold | undefined
  /** Returns the units held by all holders, or by one holder. */
  held(kind?: HolderKind, name?: string): number
}

const holderKinds: readonly HolderKind[] = ['network', 'user', 'workspace', 'organization', 'work']

const namesOf = (holders: Holders): [HolderKind, string][] => {
  const names: [HolderKind, string][] = []
  for (const kind of holderKinds) {
    const name = holders[kind]
    if (name !== undefined) names.push([kind, name])
  }
  return names
}

/** Creates an empty pool. No holder can take units that the shares leave for other holders. */
export const createPool = (options: PoolOptions): Pool => {
  const { total, shares, shrinking = [] } = options
  const counts: Record<HolderKind, Map<string, number>> = {
    network: new Map(),
    user: new Map(),
    workspace: new Map(),
    organization: new Map(),
    work: new Map(),
  }
  const shrinks = new Set(shrinking)
  let used = 0

  const countOf = (kind: HolderKind, name: string): number => counts[kind].get(name) ?? 0
  const count = (kind: HolderKind, name: string, units: number): void => {
    const left = countOf(kind, name) + units
    if (left > 0) counts[kind].set(name, left)
    else counts[kind].delete(name)
  }

  /** Returns the limit that prevents one holder from taking `units` more, if `free` units are left afterwards. */
  const boundOf = (kind: HolderKind, name: string, units: number, free: number): PoolBound | undefined => {
    const own = countOf(kind, name) + units
    if (own > (shares[kind] ?? total)) return kind
    return shrinks.has(kind) && own > free ? 'total' : undefined
  }

  const boundOfAll = (names: readonly (readonly [HolderKind, string])[], units: number): PoolBound | undefined => {
    let free = total - used - units
    let bound: PoolBound | undefined = free < 0 ? 'total' : undefined
    // Within a kind of work, holders that take the maximum also leave capacity for the next holder.
    for (const [kind, name] of names)
      if (kind === 'work') free = Math.min(free, (shares.work ?? total) - countOf(kind, name) - units)
    for (const [kind, name] of names) {
      const own = boundOf(kind, name, units, free)
      // An exceeded share is reported before an exceeded total, because it is more specific.
      if (own !== undefined && own !== 'total') return own
      bound ??= own
    }
    return bound
  }

  const open: Pool['open'] = (holders) => {
    const names = namesOf(holders)
    let own = 0
    const change = (by: number): void => {
      if (by === 0) return
      own += by
      used += by
      for (const [kind, name] of names) count(kind, name, by)
    }
    return {
      add(units) {
        if (boundOfAll(names, units) !== undefined) return false
        change(units)
        return true
      },
      drop: (units) => change(-units),
      join(kind, name) {
        if (names.some((known) => known[0] === kind && known[1] === name)) return true
        if (boundOf(kind, name, own, total - used) !== undefined) return false
        names.push([kind, name])
        count(kind, name, own)
        return true
      },
      release: () => change(-own),
    }
  }

  return {
    bound: (holders, units = 1) => boundOfAll(namesOf(holders), units),
    open,
    take(holders, units = 1) {
      const hold = open(holders)
      return hold.add(units) ? hold : undefined
    },
    held: (kind, name) => (kind === undefined || name === undefined ? used : countOf(kind, name)),
  }
}
