/**
 * The bytes that a partition with a backlog has processed, by workspace. Counting began at the time `since`, when the
 * log ended at the offset `end`.
 */
type Behind = { readonly since: number; readonly end: number; readonly bytes: Map<string, number>; total: number }

export type Floods = {
  /**
   * Records the bytes that a turn of a partition processed, by workspace. The turn ended at the offset `at` while the
   * log ended at `end`; `now` is in ms of a monotonic clock. Once a request has waited for `afterMs`, returns the
   * floods: the largest workspaces, in descending order, until the others have less than a quarter of the processed
   * bytes. A workspace with less than `minBytes` is not returned, because the reading ahead would find little to
   * process.
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
  /** Forgets what was recorded of a partition. */
  forget(partition: number): void
}

/** The minimum share of the processed bytes that workspaces other than the floods should get. */
const othersShare = 0.25
/**
 * The minimum share of a flood in the processed bytes. Overtaking a workspace with a smaller share would hardly help
 * the others.
 */
const minShare = 0.05

/** Returns the largest workspaces, in descending order, until the others have less than `othersShare`. */
const largest = ({ bytes, total }: Pick<Behind, 'bytes' | 'total'>, minBytes: number): string[] => {
  const found: string[] = []
  let rest = total
  for (const [key, of] of [...bytes].sort(([, a], [, b]) => b - a)) {
    if (rest < total * othersShare || of < Math.max(total * minShare, minBytes)) break
    found.push(key)
    rest -= of
  }
  return found
}

/** Finds floods: workspaces that send more than can be processed, in partitions that fall behind. */
export const createFloods = ({ afterMs, minBytes }: { afterMs: number; minBytes: number }): Floods => {
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
      return largest(known, minBytes)
    },
    forget: (partition) => behind.delete(partition),
  }
}
