import { Worker } from 'node:worker_threads'
import { forgetBoardThread } from '@tributary/kernel'
import { type PackedChunk, type PendingEntry, packEntries, packedSize, partitionOfEntry } from '../entries.ts'
import {
  type LogEntry,
  LogOverloaded,
  type LogPosition,
  LogUnavailable,
  type LogWriter,
  type ProducerStamp,
  StaleProducer,
} from '../port.ts'
import {
  type Appender,
  type AppenderMethod,
  type AppenderOptions,
  type AppenderReply,
  openAppender,
} from './appender.ts'

export type LogWriterOptions = {
  /** The log's own folder, created if missing. Only one writer at a time. */
  dir: string
  /** Fixed for the lifetime of the folder. */
  partitions?: number
  /** Writes in the calling thread instead of a worker, for callers that are workers themselves. */
  inline?: boolean
  /** Bytes after which a new segment begins. `trim` deletes whole segments. */
  segmentBytes?: number
  /**
   * Age after which a segment with records is ended, ms; never unless given. `trim` deletes a record late by at most
   * this time.
   */
  segmentMs?: number
  /** The clock, ms, of `gatherMs`, and of the records if the log writes in the calling thread (epoch ms). */
  clock?: () => number
  /**
   * Minimum time between the beginnings of two commits while many small entries arrive fast, ms; 0 unless given. Every
   * commit wakes several threads. An entry that arrives alone is committed at once.
   */
  gatherMs?: number
  /** Bytes that may wait for their sync before `append` rejects with LogOverloaded. */
  maxQueuedBytes?: number
  /** Called after each durable commit, so that readers can be notified of new records. */
  onCommit?(): void
}

type Pending = PendingEntry & {
  size: number
  /** Whether the entry must be in the same commit as the one before it. */
  follows: boolean
  resolve(position: LogPosition | undefined): void
  reject(error: Error): void
}
type Sized = Omit<Pending, 'follows' | 'resolve' | 'reject'>

const nothing = (): void => {}

/**
 * A group with this many entries, which came at this rate or faster, shows that entries arrive faster than they can be
 * committed one by one. The rate is needed, because a commit that waits gets more entries.
 */
const busyGroup = { entries: 6, perMs: 1.5 }
/** A commit does not wait for more entries if this many, or this many bytes, are there. */
const fullGroup = { entries: 32, bytes: 256 * 1024 }

const maxMetaBytes = 64 * 1024
const maxNoteBytes = 1024
/**
 * Maximum bytes of one commit, unless a single entry or group is larger. Without a maximum, the first entry of a burst
 * would wait for all.
 */
const maxGroupBytes = 8 * 1024 * 1024

/** Converts errors of the disk to LogUnavailable. */
const available = <Value>(answer: Promise<Value>): Promise<Value> =>
  answer.catch((error: unknown) => {
    throw new LogUnavailable(error)
  })

/** Returns an entry with its sizes. Throws RangeError for an entry that the log does not accept. */
const sizedOf = (entry: LogEntry, partitions: number, stamp?: ProducerStamp): Sized => {
  const metaBytes = Buffer.byteLength(entry.meta)
  if (metaBytes > maxMetaBytes) throw new RangeError('The meta of a log entry is over 64 KiB')
  const partition = partitionOfEntry(entry, partitions)
  const sized = { ...entry, partition, metaBytes, keyBytes: Buffer.byteLength(entry.key), stamp, size: 0 }
  sized.size = packedSize(sized)
  return sized
}

/** Like `sizedOf`, for entries that are in one commit. */
const sizedGroup = (entries: readonly LogEntry[], partitions: number, stamp?: ProducerStamp): Sized[] => {
  const sized = entries.map((entry) => sizedOf(entry, partitions, stamp))
  const [first] = sized
  if (first === undefined || sized.some(({ partition }) => partition !== first.partition))
    throw new RangeError('A group has entries of one partition')
  if (Buffer.byteLength(stamp?.note ?? '') > maxNoteBytes) throw new RangeError('The note of a producer is over 1 KiB')
  return sized
}

/** Calls a method of the appender. Calls are settled in their order. `transfer` is memory for the thread of the log. */
type CallAppender = <Name extends AppenderMethod>(
  name: Name,
  args: Parameters<Appender[Name]>,
  transfer?: ArrayBuffer[],
) => Promise<ReturnType<Appender[Name]>>

type Writing = { call: CallAppender; close(): Promise<void> }

/** Writes in the calling thread, which waits for the disk, for callers that are workers themselves. */
const openInThread = (options: AppenderOptions, clock?: () => number): Writing => {
  const appender = openAppender(options, clock)
  return {
    async call(name, args) {
      const value = Reflect.apply(appender[name], appender, args)
      if (name === 'append') appender.maintain()
      return value
    },
    close: async () => appender.close(),
  }
}

/** A call without an answer. The thread answers with the value of the called method. */
type OpenCall = { resolve(value: never): void; reject(error: unknown): void }

const startWorker = async (options: AppenderOptions, open: Map<number, OpenCall>): Promise<Worker> => {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: options, name: 'log-writer' })
  const settle = (reply: AppenderReply): void => {
    const call = open.get(reply.id)
    open.delete(reply.id)
    if ('error' in reply) call?.reject(reply.error)
    else call?.resolve(reply.value as never)
  }
  const failAll = (error: unknown): void => {
    for (const id of open.keys()) settle({ id, error })
  }
  worker.on('message', settle)
  worker.on('error', failAll)
  const { threadId } = worker
  worker.on('exit', () => {
    // The thread is gone and cannot respond to the watchdog any more, so it is removed.
    forgetBoardThread(threadId)
    failAll(new Error('The thread of the log has ended'))
  })
  await new Promise<unknown>((resolve, reject) => open.set(0, { resolve, reject }))
  return worker
}

/**
 * Writes in a worker thread, so that the caller's event loop never waits for the disk. If a worker dies, its open
 * calls fail, and the next call starts another worker.
 */
const openInWorker = async (options: AppenderOptions): Promise<Writing> => {
  let open = new Map<number, OpenCall>()
  let starting: Promise<Worker> | undefined
  let lastId = 0

  const start = (): Promise<Worker> => {
    open = new Map()
    const begun = startWorker(options, open)
    const forget = (): void => {
      if (starting === begun) starting = undefined
    }
    begun.then((worker) => worker.on('exit', forget), forget)
    starting = begun
    return begun
  }

  const call: CallAppender = async (name, args, transfer) => {
    const worker = await (starting ?? start())
    return new Promise((resolve, reject) => {
      const id = ++lastId
      open.set(id, { resolve, reject })
      worker.postMessage({ id, name, args }, transfer)
    })
  }

  await start()
  return {
    call,
    async close() {
      const worker = await starting
      if (worker === undefined) return
      const ended = new Promise((resolve) => worker.once('exit', resolve))
      await call('close', [])
      await ended
    },
  }
}

/** Entries that wait for their commit. */
const createWaiting = (maxBytes: number) => {
  let queue: Pending[] = []
  let bytes = 0
  return {
    bytes: () => bytes,
    isFull: () => queue.length >= fullGroup.entries || bytes >= fullGroup.bytes,
    isEmpty: () => queue.length === 0,
    /** Throws if there is no room for more bytes. */
    reserve(size: number): void {
      if (bytes + size > maxBytes) throw new LogOverloaded()
      bytes += size
    },
    push: (entry: Pending) => queue.push(entry),
    /** Takes the entries of the next commit. */
    take(): Pending[] {
      let taken = 0
      let count = 0
      for (const entry of queue) {
        taken += entry.size
        if (count > 0 && taken > maxGroupBytes && !entry.follows) break
        count++
      }
      const group = count === queue.length ? queue : queue.slice(0, count)
      queue = count === queue.length ? [] : queue.slice(count)
      return group
    },
    release(entries: readonly Pending[]): void {
      for (const entry of entries) bytes -= entry.size
    },
  }
}

/** Settles the entries of chunks, in their order, by the first offset of each chunk. */
const settleChunks = (
  chunks: readonly PackedChunk[],
  firsts: ReturnType<Appender['append']>['firsts'],
  order: readonly Pending[],
): void => {
  let at = 0
  chunks.forEach(({ partition, count, stamp }, index) => {
    const first = firsts[index]
    for (let i = 0; i < count; i++) {
      const entry = order[at++]
      if (typeof first === 'number') entry?.resolve({ partition, offset: first + i })
      else if (first === 'repeated') entry?.resolve(undefined)
      else entry?.reject(new StaleProducer(stamp?.producer ?? '', stamp?.epoch ?? 0))
    }
  })
}

/**
 * Opens a log for writing on SQLite: write-ahead log, `synchronous = FULL`, and one transaction for everything that
 * arrived during the previous one. Throws if the folder cannot be opened or was created with another number of
 * partitions.
 */
export const openLogWriter = async (options: LogWriterOptions): Promise<LogWriter> => {
  const { dir, partitions = 64, maxQueuedBytes = 64 * 1024 * 1024, gatherMs = 0 } = options
  const { segmentBytes = 128 * 1024 * 1024, segmentMs = Number.POSITIVE_INFINITY } = options
  const segments = { dir, partitions, segmentBytes, segmentMs }
  const writing = options.inline ? openInThread(segments, options.clock) : await openInWorker(segments)
  const { call } = writing

  const waiting = createWaiting(maxQueuedBytes)
  let flushing = false
  let closed = false
  let idle: (() => void)[] = []
  let memory: ArrayBuffer | undefined
  const clock = options.clock ?? (() => performance.now())
  let lastBegan = Number.NEGATIVE_INFINITY
  let isBusy = false
  /** Ends the current wait for more entries. */
  let begin: (() => void) | undefined

  const reserve = (size: number): void => {
    if (closed) throw new LogUnavailable(new Error('The log is closed'))
    waiting.reserve(size)
  }

  const writeGroup = async (entries: Pending[]): Promise<void> => {
    const { group, order } = packEntries(entries, memory)
    memory = undefined
    try {
      const { firsts, memory: used } = await call('append', [group], [group.bytes.buffer])
      if (used.byteLength <= 2 * maxGroupBytes) memory = used
      settleChunks(group.chunks, firsts, order)
      if (firsts.some((first) => typeof first === 'number')) options.onCommit?.()
    } catch (error) {
      const unavailable = new LogUnavailable(error)
      for (const entry of entries) entry.reject(unavailable)
    } finally {
      waiting.release(entries)
    }
  }

  /** Resolves when a commit may begin `ms` after the one before it, or as soon as the group is full. */
  const gather = (ms: number): Promise<void> => {
    if (ms <= 0 || waiting.isFull() || closed) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(() => begin?.(), ms)
      begin = () => {
        clearTimeout(timer)
        begin = undefined
        resolve()
      }
    })
  }

  const flush = async (): Promise<void> => {
    while (!waiting.isEmpty()) {
      if (isBusy) await gather(Math.ceil(lastBegan + gatherMs - clock()))
      const group = waiting.take()
      const now = clock()
      isBusy = group.length >= busyGroup.entries && group.length >= busyGroup.perMs * (now - lastBegan)
      lastBegan = now
      await writeGroup(group)
    }
    flushing = false
    for (const wake of idle) wake()
    idle = []
  }

  const schedule = (): void => {
    if (waiting.isFull()) begin?.()
    if (flushing) return
    flushing = true
    // Further appends in this turn of the event loop join the first commit.
    setImmediate(() => void flush())
  }

  return {
    partitions,
    queuedBytes: waiting.bytes,
    append: (entry: LogEntry) =>
      new Promise((resolve, reject) => {
        const sized = sizedOf(entry, partitions)
        reserve(sized.size)
        // Without a stamp, the entry is never already stored.
        waiting.push({ ...sized, follows: false, resolve: (position) => position && resolve(position), reject })
        schedule()
      }),
    appendGroup: (entries, stamp) =>
      new Promise((resolve, reject) => {
        const sized = sizedGroup(entries, partitions, stamp)
        reserve(sized.reduce((sum, { size }) => sum + size, 0))
        for (const entry of sized) {
          const calls = entry === sized[0] ? { resolve, reject } : { resolve: nothing, reject: nothing }
          waiting.push({ ...entry, follows: entry !== sized[0], ...calls })
        }
        schedule()
      }),
    beginEpoch: (producer) => available(call('beginEpoch', [producer])),
    lastSequences: (producer) => available(call('lastSequences', [producer])),
    trim: (before) => call('trim', [before]),
    stats: () => call('stats', []),
    async close() {
      if (closed) return
      closed = true
      begin?.()
      if (flushing) await new Promise<void>((resolve) => idle.push(resolve))
      await writing.close()
    },
  }
}
