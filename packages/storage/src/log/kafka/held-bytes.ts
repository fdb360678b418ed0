import type { Partitions } from './partitions.ts'
import type { Session } from './session.ts'
import { bytesBefore } from './tails.ts'

/**
 * Counts the bytes that a log keeps in Kafka from its first offsets on. Kafka's own figure counts whole segments, which
 * it deletes later, and needs a permission on the cluster. Each batch has the number of bytes before it.
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
