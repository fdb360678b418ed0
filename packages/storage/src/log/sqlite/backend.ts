import { Worker } from 'node:worker_threads'
import { forgetBoardThread } from '@tributary/kernel'
import type { LogPosition, LogStats, ProducerSequence } from '../port.ts'
import { type Appender, type AppenderOptions, openAppender } from './appender.ts'
import type { PackedGroup } from './packing.ts'

type Appended = { firsts: ReturnType<Appender['append']>; memory: ArrayBuffer }

/** The interface of the thread that writes. Calls are settled in their order. */
export type Backend = {
  /** Returns the first offsets of the chunks, and the group's memory for reuse. */
  append(group: PackedGroup): Promise<Appended>
  trim(before: readonly LogPosition[]): Promise<void>
  stats(): Promise<LogStats>
  beginEpoch(producer: string): Promise<number>
  lastSequences(producer: string): Promise<ProducerSequence[]>
  close(): Promise<void>
}

/** Requests from the writer to its worker. */
export type BackendRequest =
  | { id: number; kind: 'append'; group: PackedGroup }
  | { id: number; kind: 'trim'; before: readonly LogPosition[] }
  | { id: number; kind: 'stats' }
  | { id: number; kind: 'begin-epoch' | 'last-sequences'; producer: string }
  | { id: number; kind: 'close' }

/** The worker's response; `id` 0 reports that the folder is open, or why not. */
export type BackendReply = { id: number; value?: BackendValue; error?: unknown }
type BackendValue = Appended | LogStats | number | ProducerSequence[] | undefined

/** Writes in the calling thread, which waits for the disk, for callers that are workers themselves. */
export const openInlineBackend = async (options: AppenderOptions, clock?: () => number): Promise<Backend> => {
  const appender = openAppender(options, clock)
  return {
    async append(group) {
      const firsts = appender.append(group)
      appender.maintain()
      return { firsts, memory: group.bytes.buffer }
    },
    trim: async (before) => appender.trim(before),
    stats: async () => appender.stats(),
    beginEpoch: async (producer) => appender.beginEpoch(producer),
    lastSequences: async (producer) => appender.lastSequences(producer),
    close: async () => appender.close(),
  }
}

const outOfTurn = (): Error => new Error('The thread of the log answered out of turn')

type Waiting = { resolve(value: BackendValue): void; reject(error: unknown): void }

const startWorker = async (options: AppenderOptions, waiting: Map<number, Waiting>): Promise<Worker> => {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: options, name: 'log-writer' })
  const settle = (reply: BackendReply): void => {
    const call = waiting.get(reply.id)
    waiting.delete(reply.id)
    if ('error' in reply) call?.reject(reply.error)
    else call?.resolve(reply.value)
  }
  const failAll = (error: unknown): void => {
    for (const id of waiting.keys()) settle({ id, error })
  }
  worker.on('message', settle)
  worker.on('error', failAll)
  const { threadId } = worker
  worker.on('exit', () => {
    // The thread is gone and cannot respond to the watchdog any more, so it is removed.
    forgetBoardThread(threadId)
    failAll(new Error('The thread of the log has ended'))
  })
  await new Promise<unknown>((resolve, reject) => waiting.set(0, { resolve, reject }))
  return worker
}

/**
 * Writes in a worker thread, so that the caller's event loop never waits for the disk. If a worker dies, its open
 * requests fail, and the next call starts another worker.
 */
export const openWorkerBackend = async (options: AppenderOptions): Promise<Backend> => {
  let waiting = new Map<number, Waiting>()
  let starting: Promise<Worker> | undefined
  let lastId = 0

  const start = (): Promise<Worker> => {
    waiting = new Map()
    const begun = startWorker(options, waiting)
    const forget = (): void => {
      if (starting === begun) starting = undefined
    }
    begun.then((worker) => worker.on('exit', forget), forget)
    starting = begun
    return begun
  }

  const ask = async (request: BackendRequest, transfer: ArrayBuffer[] = []): Promise<BackendValue> => {
    const worker = await (starting ?? start())
    return new Promise((resolve, reject) => {
      waiting.set(request.id, { resolve, reject })
      worker.postMessage(request, transfer)
    })
  }

  await start()
  return {
    async append(group) {
      const appended = await ask({ id: ++lastId, kind: 'append', group }, [group.bytes.buffer])
      if (typeof appended !== 'object' || !('firsts' in appended)) throw outOfTurn()
      return appended
    },
    async trim(before) {
      await ask({ id: ++lastId, kind: 'trim', before })
    },
    async stats() {
      const stats = await ask({ id: ++lastId, kind: 'stats' })
      if (typeof stats !== 'object' || !('bytes' in stats)) throw outOfTurn()
      return stats
    },
    async beginEpoch(producer) {
      const epoch = await ask({ id: ++lastId, kind: 'begin-epoch', producer })
      if (typeof epoch !== 'number') throw outOfTurn()
      return epoch
    },
    async lastSequences(producer) {
      const sequences = await ask({ id: ++lastId, kind: 'last-sequences', producer })
      if (!Array.isArray(sequences)) throw outOfTurn()
      return sequences
    },
    async close() {
      const worker = await starting
      if (worker === undefined) return
      const ended = new Promise((resolve) => worker.once('exit', resolve))
      await ask({ id: ++lastId, kind: 'close' })
      await ended
    },
  }
}
