/** What of a partition was read since a look at its end. */
type Behind = { readonly since: number; readonly end: number; readonly bytes: Map<string, number>; total: number }

export type Floods = {
  /**
   * Notes what was processed in a turn of a partition, up to `at`, while its log ended at `end`; `now` is of any clock that never goes back, in ms. Returns
   * the workspaces that hold up what is behind them, where something has waited for `afterMs`, the largest first: as many as leave less than a quarter of what was
   * processed meanwhile to the others. Nobody is one with less than `leastBytes`: what is read ahead may be little, and wait for what is passed over.
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

/** Of what is processed, what the others may have. */
const othersShare = 0.25
/** A workspace with a smaller part holds nobody up: without it the others would wait nearly as long. */
const leastShare = 0.05

/** Those that leave less than their share to the others, the largest first. */
const largest = ({ bytes, total }: Pick<Behind, 'bytes' | 'total'>, leastBytes: number): string[] => {
  const found: string[] = []
  let rest = total
  for (const [key, of] of [...bytes].sort(([, a], [, b]) => b - a)) {
    if (rest < total * othersShare || of < Math.max(total * leastShare, leastBytes)) break
    found.push(key)
    rest -= of
  }
  return found
}

/** Finds workspaces that send more than is processed into partitions that fall behind. */
export const createFloods = ({ afterMs, leastBytes }: { afterMs: number; leastBytes: number }): Floods => {
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
      return largest(known, leastBytes)
    },
    forget: (partition) => behind.delete(partition),
  }
}
