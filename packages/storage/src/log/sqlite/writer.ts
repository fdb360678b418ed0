import { type LogEntry, LogOverloaded, type LogPosition, LogUnavailable, type LogWriter, partitionOf } from '../port.ts'
import { openInlineBackend, openWorkerBackend } from './backend.ts'
import { type PendingEntry, packEntries, packedSize } from './packing.ts'

export type LogWriterOptions = {
  /** The log's own folder; made when missing. One writer at a time. */
  dir: string
  /** Fixed for the life of the folder. */
  partitions?: number
  /** Writes in the calling thread instead of a worker: for callers that are workers themselves. */
  inline?: boolean
  /** Bytes after which a new segment begins. A segment is what `trim` drops. */
  segmentBytes?: number
  /** Bytes that may wait for their sync before `append` rejects with LogOverloaded. */
  maxQueuedBytes?: number
  /** Called after each durable commit: readers may be told that there is something new. */
  onCommit?(): void
}

type Pending = PendingEntry & { size: number; resolve(position: LogPosition): void; reject(error: Error): void }

const maxMetaBytes = 64 * 1024
/** One commit takes at most this much (or one entry), so that a burst does not make the first of it wait for all. */
const maxGroupBytes = 8 * 1024 * 1024

/**
 * Opens a log for writing on SQLite: write-ahead log, `synchronous = FULL`, one transaction for everything that
 * arrived while the one before was on its way to the disk. Throws when the folder cannot be opened or was made with
 * another number of partitions.
 */
export const openLogWriter = async (options: LogWriterOptions): Promise<LogWriter> => {
  const { partitions = 64, maxQueuedBytes = 64 * 1024 * 1024 } = options
  const appenderOptions = { dir: options.dir, partitions, segmentBytes: options.segmentBytes ?? 128 * 1024 * 1024 }
  const backend = await (options.inline ? openInlineBackend : openWorkerBackend)(appenderOptions)

  let queue: Pending[] = []
  let queued = 0
  let flushing = false
  let scheduled = false
  let closed = false
  let idle: (() => void)[] = []
  let memory: ArrayBuffer | undefined

  const takeGroup = (): Pending[] => {
    let bytes = 0
    let count = 0
    for (const entry of queue) {
      bytes += entry.size
      if (count > 0 && bytes > maxGroupBytes) break
      count++
    }
    const group = count === queue.length ? queue : queue.slice(0, count)
    queue = count === queue.length ? [] : queue.slice(count)
    return group
  }

  const writeGroup = async (entries: Pending[]): Promise<void> => {
    const { group, order } = packEntries(entries, memory)
    const { chunks } = group
    memory = undefined
    try {
      const { firsts, memory: used } = await backend.append(group)
      if (used.byteLength <= 2 * maxGroupBytes) memory = used
      let at = 0
      chunks.forEach(({ partition, count }, index) => {
        const first = firsts[index] ?? 0
        for (let i = 0; i < count; i++) order[at++]?.resolve({ partition, offset: first + i })
      })
      options.onCommit?.()
    } catch (error) {
      const unavailable = new LogUnavailable(error)
      for (const entry of entries) entry.reject(unavailable)
    } finally {
      for (const entry of entries) queued -= entry.size
    }
  }

  const flush = async (): Promise<void> => {
    scheduled = false
    if (flushing) return
    flushing = true
    while (queue.length > 0) await writeGroup(takeGroup())
    flushing = false
    for (const wake of idle) wake()
    idle = []
  }

  const schedule = (): void => {
    if (flushing || scheduled) return
    scheduled = true
    // What else this turn of the event loop brings joins the first commit.
    setImmediate(() => void flush())
  }

  return {
    partitions,
    queuedBytes: () => queued,
    append(entry: LogEntry) {
      if (closed) return Promise.reject(new LogUnavailable(new Error('The log is closed')))
      const metaBytes = Buffer.byteLength(entry.meta)
      if (metaBytes > maxMetaBytes) return Promise.reject(new RangeError('The meta of a log entry is over 64 KiB'))
      const sized = {
        ...entry,
        partition: partitionOf(entry.key, partitions),
        metaBytes,
        keyBytes: Buffer.byteLength(entry.key),
      }
      const size = packedSize(sized)
      if (queued + size > maxQueuedBytes) return Promise.reject(new LogOverloaded())
      queued += size
      return new Promise((resolve, reject) => {
        queue.push({ ...sized, size, resolve, reject })
        schedule()
      })
    },
    trim: (before) => backend.trim(before),
    stats: () => backend.stats(),
    async close() {
      if (closed) return
      closed = true
      if (queue.length > 0 || flushing) await new Promise<void>((resolve) => idle.push(resolve))
      await backend.close()
    },
  }
}
