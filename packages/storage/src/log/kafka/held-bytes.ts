import type { Partitions } from './partitions.ts'
import type { Session } from './session.ts'
import { bytesBefore } from './tails.ts'

/**
 * Counts the bytes that a log holds from its first offsets on, as they lie in Kafka. Kafka's own figure is of whole segments, which it drops
 * later, and needs a right of the cluster; a batch says how many bytes were before it.
 */
export const createHeldBytes = (
  data: Partitions,
): ((session: Session, starts: readonly number[]) => Promise<number>) => {
  /** By partition, an offset and the bytes before it. */
  const known = new Map<number, { offset: number; bytes: number }>()
  return async (session, starts) => {
    const holding = [...starts.entries()].filter(([partition, start]) => start < (session.ends[partition] ?? 0))
    const unknown = new Map(holding.filter(([partition, start]) => known.get(partition)?.offset !== start))
    for (const [partition, bytes] of await bytesBefore(data, session.control, unknown))
      known.set(partition, { offset: unknown.get(partition) ?? 0, bytes })
    return holding.reduce(
      (sum, [partition]) => sum + (session.bytes[partition] ?? 0) - (known.get(partition)?.bytes ?? 0),
      0,
    )
  }
}
