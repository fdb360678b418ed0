/**
 * Kinds of holders of a pool: the network a request comes from, the user, workspace or organization it is for, and its
 * kind of work.
 */
export type HolderKind = 'network' | 'user' | 'workspace' | 'organization' | 'work'

/** By kind, the names of the holders of something of a pool. */
export type Holders = Readonly<Partial<Record<HolderKind, string>>>

/** Units that one holder of each kind may have; without a limit for a kind that is left out. */
export type Shares = Readonly<Partial<Record<HolderKind, number>>>

/** The exceeded limit: the share of a holder of that kind, or all that the pool has. */
export type PoolBound = HolderKind | 'total'

export type PoolOptions = {
  /** Units of all holders together, such as calls or bytes. */
  total: number
  shares: Shares
  /**
   * Kinds whose holders never have more than is then left free, of all and of the share of a kind of work. Their shares shrink while
   * the pool fills up (dynamic thresholds, Choudhury and Hahne 1998): many who take all they can leave something for the next.
   */
  shrinking?: readonly HolderKind[]
}

/** A hold on units of a pool, for all of its holders. */
export type PoolHold = {
  /** Takes more; false, and nothing taken, when a share or the whole would be exceeded. */
  add(units: number): boolean
  /** Gives some of it back. */
  drop(units: number): void
  /** Counts it for another holder, too, once however often; false, and not counted, when its share is taken. */
  join(kind: HolderKind, name: string): boolean
  /** Gives back what is left; may be called more than once. */
  release(): void
}

/** A number of units that holders take and give back. */
export type Pool = {
  /** The limit that keeps the holders from so many units; undefined when they can have them. */
  bound(holders: Holders, units?: number): PoolBound | undefined
  /** A hold of nothing yet, to which units are added as they are needed. */
  open(holders: Holders): PoolHold
  /** Takes units, 1 unless given; undefined, and nothing taken, when there is a bound. */
  take(holders: Holders, units?: number): PoolHold | undefined
  /** Units held by all, or by one holder. */
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

/** Creates a pool of which nothing is held. One holder can never take what the shares leave for others. */
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

  /** The limit that keeps one holder from `units` more, when `free` are then left. */
  const boundOf = (kind: HolderKind, name: string, units: number, free: number): PoolBound | undefined => {
    const own = countOf(kind, name) + units
    if (own > (shares[kind] ?? total)) return kind
    return shrinks.has(kind) && own > free ? 'total' : undefined
  }

  const boundOfAll = (names: readonly (readonly [HolderKind, string])[], units: number): PoolBound | undefined => {
    let free = total - used - units
    let bound: PoolBound | undefined = free < 0 ? 'total' : undefined
    // Also within a kind of work, those who take all they can leave something for the next.
    for (const [kind, name] of names)
      if (kind === 'work') free = Math.min(free, (shares.work ?? total) - countOf(kind, name) - units)
    for (const [kind, name] of names) {
      const own = boundOf(kind, name, units, free)
      // A share of its own says more than that all is taken.
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
