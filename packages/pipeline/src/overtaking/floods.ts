/** What of a partition was read since a look at its end. */
type Behind = { readonly since: number; readonly end: number; readonly bytes: Map<string, number>; total: number }

export type Floods = {
  /**
   * Notes what was processed in a turn of a partition, up to `at`, while its log ended at `end`; `now` is of any clock that never goes back, in ms. Returns
   * the workspaces that hold up what is behind them, where something has waited for `afterMs`: those of which at least a quarter was of all that was processed meanwhile.
   */
  note(
    partition: number,
    turn: {
      readonly bytes: ReadonlyMap<string, number>
      readonly at: number
      readonly end: number
      readonly now: number
    },
  ): string[]
  /** Begins anew with a partition. */
  forget(partition: number): void
}

/** A workspace with a smaller part of what is read holds nobody up: without it the others would wait nearly as long. */
const leastShare = 0.25

/** Finds workspaces that send more than is processed into partitions that fall behind. */
export const createFloods = ({ afterMs }: { afterMs: number }): Floods => {
  const behind = new Map<number, Behind>()
  return {
    note(partition, { bytes, at, end, now }) {
      let known = behind.get(partition)
      if (known !== undefined && at >= known.end) {
        behind.delete(partition)
        known = undefined
      }
      if (at >= end) return []
      known ??= { since: now, end, bytes: new Map(), total: 0 }
      behind.set(partition, known)
      for (const [key, more] of bytes) {
        known.bytes.set(key, (known.bytes.get(key) ?? 0) + more)
        known.total += more
      }
      if (now - known.since < afterMs || known.total === 0) return []
      const { total } = known
      return [...known.bytes].filter(([, of]) => of >= total * leastShare).map(([key]) => key)
    },
    forget: (partition) => behind.delete(partition),
  }
}
