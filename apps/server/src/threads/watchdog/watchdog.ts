import { Worker } from 'node:worker_threads'
import { type BoardPlace, createThreadBoard, freeBoardPlace, joinThreadBoard } from '@tributary/kernel'
import { blocksFileOf } from './blocks-file.ts'
import type { SilenceBounds } from './silence.ts'

/** Data for the watchdog's thread. */
export type WatchdogData = {
  board: SharedArrayBuffer
  bounds: SilenceBounds
  /** Path of the file in which it records the work that blocked a thread. */
  file: string
  /** The number of an open file through which the launcher gets the reason why a process ends. */
  launcher: number | undefined
}

/** Requests from the watchdog to the main thread. */
export type WatchdogMessage = { kind: 'replace'; threadId: number }

export type Watchdog = {
  /** Starts to watch the main thread, which has started. */
  watch(): void
  /** Stops watching, because the process is closing. */
  pause(): void
  stop(): Promise<void>
}

/** Threads that can be ended alone, by their IDs. */
const replaceable = new Map<number, () => void>()

/**
 * Registers how a thread can be ended alone if it does not respond. Its creator starts another one, which repeats the
 * unfinished work.
 *
 * @returns a function that removes the registration, to be called when the thread has ended
 */
export const offerReplacing = (threadId: number, end: () => void): (() => void) => {
  replaceable.set(threadId, end)
  return () => {
    replaceable.delete(threadId)
    freeBoardPlace(createThreadBoard(), threadId)
  }
}

/** Additional time beyond its limit for a thread that should end by itself, ms. */
const graceMs = 10_000
const tickMs = 500

/**
 * Watches the threads of this process that join its board, and must be called before any of them is created. With
 * `endMs` 0, they are on the board, and not watched.
 */
export const startWatchdog = (options: {
  dataDir: string
  logMs: number
  endMs: number
  launcher: number | undefined
}): Watchdog => {
  const board = createThreadBoard()
  const place: BoardPlace = joinThreadBoard('main')
  if (options.endMs === 0) return { watch() {}, pause() {}, stop: async () => place.leave() }
  const { endMs, launcher } = options
  const data: WatchdogData = {
    board,
    bounds: { tickMs: Math.min(tickMs, endMs / 4), logMs: Math.min(options.logMs, endMs), endMs, graceMs },
    file: blocksFileOf(options.dataDir),
    launcher,
  }
  const worker = new Worker(new URL('./watchdog-thread.ts', import.meta.url), {
    name: 'watchdog',
    workerData: data,
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  })
  worker.unref()
  // If the watchdog fails, the process that it watches must continue.
  worker.on('error', (error) => {
    process.stderr.write(`The watchdog has ended, and threads are not watched any more: ${String(error)}\n`)
  })
  worker.on('message', ({ threadId }: WatchdogMessage) => replaceable.get(threadId)?.())
  return {
    watch: place.watch,
    pause: place.pause,
    async stop() {
      place.leave()
      await worker.terminate()
    },
  }
}
