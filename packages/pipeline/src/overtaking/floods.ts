/** The bytes of a partition that were processed since its end was last taken. */
type Behind = { readonly since: number; readonly end: number; readonly bytes: Map<string, number>; total: number }

export type Floods = {
  /**
   * Records the bytes that a turn of a partition processed, up to `at`, while the partition's log ended at `end`; `now`
   * is in ms of a monotonic clock. When a request has waited for `afterMs`, returns the workspaces that delay the
   * others, the largest first. Without them, the others have at least a quarter of the bytes processed meanwhile. A
   * workspace with less than `minBytes` is not returned, because the reading ahead would find little to process and
   * would wait.
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
  /** Resets a partition. */
  forget(partition: number): void
}

/** The share of the processed bytes that other workspaces should get. */
const othersShare = 0.25
/** A workspace with a smaller share is not overtaken: skipping it would hardly help the others. */
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

/** Finds workspaces that send more than can be processed, in partitions that fall behind. */
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
