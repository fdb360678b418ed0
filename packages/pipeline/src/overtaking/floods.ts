/** The part of a partition that was read since a look at its end. */
type Behind = { readonly since: number; readonly end: number; readonly bytes: Map<string, number>; total: number }

export type Floods = {
  /**
   * Notes what was processed in a turn of a partition, up to `at`, while its log ended at `end`; `now` is in ms of a
   * monotonic clock. Once a request has waited for `afterMs`, it returns the workspaces that hold the others up, the
   * largest first. They are as many as leave the others less than a quarter of the bytes processed meanwhile. None has
   * less than `minBytes`: the reading ahead may find few bytes, and wait for skipped ones.
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
  /** Starts a partition anew. */
  forget(partition: number): void
}

/** The part of the processed bytes that the others may have. */
const othersShare = 0.25
/** A workspace with a smaller part is not overtaken: without it the others would wait nearly as long. */
const minShare = 0.05

/** The workspaces that leave the others less than their share, the largest first. */
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

/** Finds workspaces that send more than is processed into partitions that fall behind. */
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
