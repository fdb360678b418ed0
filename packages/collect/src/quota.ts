/** The bytes of each workspace that were accepted and are not processed yet. */
export type Quota = {
  /** Counts bytes as accepted. Returns false, and counts nothing, if the workspace has used up its quota. */
  reserve(workspaceId: string, bytes: number): boolean
  /** Records the partition and offset at which counted bytes are in the log. */
  placed(workspaceId: string, bytes: number, place: { partition: number; offset: number }): void
  /** Releases bytes that could not be written. */
  release(workspaceId: string, bytes: number): void
  isFull(workspaceId: string): boolean
  /**
   * Records which requests are processed. `positions` has an offset for each partition; every earlier request is
   * processed. Ignores values of another form.
   */
  processed(positions: unknown): void
}

/** The unprocessed bytes of a range of offsets in a partition, by workspace. */
type Chunk = { until: number; bytes: number; of: Map<string, number> }

/** Maximum bytes of a chunk before the next one begins. */
const chunkBytes = 4 * 1024 * 1024
/**
 * Maximum number of entries in all chunks together; a chunk has an entry for each of its workspaces. Above it,
 * neighboring chunks are joined, so that bytes are released in coarser steps.
 */
const maxEntries = 100_000

const join = (one: Chunk, other: Chunk): Chunk => {
  for (const [workspaceId, bytes] of other.of) one.of.set(workspaceId, (one.of.get(workspaceId) ?? 0) + bytes)
  return { until: other.until, bytes: one.bytes + other.bytes, of: one.of }
}

/**
 * Creates the count of the unprocessed bytes of each workspace. A workspace can have up to the current `limit()`. Only
 * requests that this process accepted are counted, not those of other processes or of an earlier process.
 */
export const createQuota = (limit: () => number, entriesAtMost = maxEntries): Quota => {
  const waiting = new Map<string, number>()
  /**
   * Chunks by partition, in log order. The last chunk grows until a report of positions arrives or the chunk is full.
   */
  const chunks = new Map<number, Chunk[]>()
  const open = new Set<number>()
  let entries = 0

  const lower = (workspaceId: string, bytes: number): void => {
    const left = (waiting.get(workspaceId) ?? 0) - bytes
    if (left > 0) waiting.set(workspaceId, left)
    else waiting.delete(workspaceId)
  }
  const compact = (): void => {
    entries = 0
    for (const [partition, list] of chunks) {
      const joined: Chunk[] = []
      for (let at = 0; at < list.length; at += 2) {
        const [one, other] = [list[at], list[at + 1]]
        if (one !== undefined) joined.push(other === undefined ? one : join(one, other))
      }
      chunks.set(partition, joined)
      for (const { of } of joined) entries += of.size
    }
  }
  const chunkOf = (partition: number): Chunk => {
    const list = chunks.get(partition) ?? []
    const last = list.at(-1)
    if (last !== undefined && open.has(partition) && last.bytes < chunkBytes) return last
    const made = { until: 0, bytes: 0, of: new Map<string, number>() }
    if (list.push(made) === 1) chunks.set(partition, list)
    open.add(partition)
    return made
  }
  return {
    reserve(workspaceId, bytes) {
      const now = waiting.get(workspaceId) ?? 0
      if (now >= limit()) return false
      waiting.set(workspaceId, now + bytes)
      return true
    },
    placed(workspaceId, bytes, { partition, offset }) {
      const chunk = chunkOf(partition)
      const known = chunk.of.get(workspaceId)
      chunk.of.set(workspaceId, (known ?? 0) + bytes)
      chunk.bytes += bytes
      chunk.until = Math.max(chunk.until, offset + 1)
      if (known === undefined && ++entries > entriesAtMost) compact()
    },
    release: lower,
    isFull: (workspaceId) => (waiting.get(workspaceId) ?? 0) >= limit(),
    processed(positions) {
      if (!Array.isArray(positions)) return
      open.clear()
      for (const [partition, list] of chunks) {
        const position: unknown = positions[partition]
        if (typeof position !== 'number') continue
        let done = 0
        for (const { until, of } of list) {
          if (until > position) break
          done++
          entries -= of.size
          for (const [workspaceId, bytes] of of) lower(workspaceId, bytes)
        }
        if (done === list.length) chunks.delete(partition)
        else if (done > 0) list.splice(0, done)
      }
    },
  }
}
