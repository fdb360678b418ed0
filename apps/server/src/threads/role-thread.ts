import { setFlagsFromString } from 'node:v8'
import { MessageChannel, type MessagePort, type Transferable, Worker } from 'node:worker_threads'
import { backoffMs, type Logger, retryPolicies } from '@tributary/kernel'
import type { MetricChange } from '../operations/relayed-metrics.ts'
import type { DueDeliveries } from './messages/delivery.ts'
import type { Client, Messages, Relay } from './messages/message.ts'
import type { ThreadBeginning } from './thread-data.ts'
import { offerReplacing } from './watchdog/watchdog.ts'

/** Messages from a role's thread to the main thread. */
export type ThreadMessage =
  | { kind: 'ready' }
  | { kind: 'metrics'; changes: MetricChange[] }
  | { kind: 'appended' }
  | { kind: 'due'; due: DueDeliveries }
  | { kind: 'replaced'; message: string }
  | { kind: 'answer'; id: number; value?: unknown; error?: string }

/** Messages from the main thread to a role's thread. */
export type ThreadCommand =
  | { kind: 'wake' }
  | { kind: 'ask'; id: number; question: string; about: unknown }
  | { kind: 'stop' }

export type RoleThread = {
  /** Resolves when the thread is first ready; later restarts happen in the background. */
  start(): Promise<void>
  running(): boolean
  /** Notifies the thread of possible work. Cheap: calls in the same turn of the event loop send one message. */
  wake(): void
  /**
   * Forwards a message to the running thread; rejects if the thread ends before it responds. Callers use a typed client
   * instead.
   */
  relay: Relay
  /** Drains and ends the thread; after `deadlineMs` it is terminated. */
  stop(deadlineMs?: number): Promise<void>
}

/** A role as the rest of the process sees it, with a client for its messages. */
export type Role<Table extends Messages> = Omit<RoleThread, 'relay'> & Client<Table>

/** Half of V8's default. Three threads with the default would never free this memory again. */
const youngMiB = 24

/**
 * Lets a heap double between two full collections. By default, V8 computes the growth from the measured speed of its
 * collections, which appear slow on busy processors. A role under load then had a full collection every few thousand
 * events, which took a fifth of all processor time. Old generations stay within `resourceLimits`.
 */
const relaxCollector = (): void => setFlagsFromString('--heap-growing-percent=100')

/** A thread that has loaded its code and waits for its data. */
export type LoadedThread = { worker: Worker; begin: MessagePort }

type Again = {
  name: string
  logger: Logger
  /** Called before each start but the first. */
  beforeAgain?: () => Promise<void>
}

type ThreadCode = { name: string; entry: URL; heapMiB: number }

type RoleThreadOptions = ThreadCode &
  Again & {
    /** A thread that was created in advance, for the first start. */
    loaded?: LoadedThread | undefined
    /** Called for each start: returns the data for the thread, and the ports in it. */
    data: () => { value: object; transfer: readonly Transferable[] }
    onMetrics: (changes: MetricChange[]) => void
    /** Called when another process has taken over a log that the thread writes. */
    onReplaced?: (message: string) => void
    onAppended?: () => void
    onDue?: (due: DueDeliveries) => void
  }

/** Creates a thread that loads its code and does nothing else yet. */
export const loadThread = ({ name, entry, heapMiB }: ThreadCode): LoadedThread => {
  relaxCollector()
  const { port1, port2 } = new MessageChannel()
  const worker = new Worker(entry, {
    name,
    workerData: { begin: port2 } satisfies ThreadBeginning,
    transferList: [port2],
    resourceLimits: { maxOldGenerationSizeMb: heapMiB, maxYoungGenerationSizeMb: youngMiB },
  })
  // A thread that ends before its start is created again at the start, so its error is ignored.
  worker.on('error', () => {})
  return { worker, begin: port1 }
}

const hasEnded = ({ worker }: LoadedThread): boolean => worker.threadId === -1

/** Resolves when a thread may be restarted. A failure of the preparation does not prevent the restart. */
const prepared = async ({ name, logger, beforeAgain }: Again): Promise<void> => {
  try {
    await beforeAgain?.()
  } catch (error) {
    logger.warn({ err: error, thread: name }, 'what blocked threads cannot be looked at now')
  }
}

/** The requests to a thread that have no response yet. */
const createQuestions = (name: string) => {
  const open = new Map<number, PromiseWithResolvers<unknown>>()
  let next = 0
  return {
    async ask(worker: Worker | undefined, question: string, about: unknown): Promise<unknown> {
      if (worker === undefined) throw new Error(`${name} is not running`)
      const id = next++
      const waiting = Promise.withResolvers<unknown>()
      // If the value cannot be sent, this throws. Responses arrive in a later turn of the event loop.
      worker.postMessage({ kind: 'ask', id, question, about } satisfies ThreadCommand)
      open.set(id, waiting)
      return await waiting.promise
    },
    take({ id, value, error }: Extract<ThreadMessage, { kind: 'answer' }>): void {
      const waiting = open.get(id)
      open.delete(id)
      if (error === undefined) waiting?.resolve(value)
      else waiting?.reject(new Error(error))
    },
    rejectAll(): void {
      for (const { reject } of open.values()) reject(new Error(`${name} ended`))
      open.clear()
    },
  }
}

/** Creates a function that wakes a thread with one message for all calls of a turn of the event loop. */
const createWake = (worker: () => Worker | undefined) => {
  let isWoken = false
  return (): void => {
    if (isWoken || worker() === undefined) return
    isWoken = true
    setImmediate(() => {
      isWoken = false
      worker()?.postMessage({ kind: 'wake' } satisfies ThreadCommand)
    })
  }
}

/** Ends a thread: asks it to stop, and terminates it if it has not stopped after `deadlineMs`. */
const endWorker = async (worker: Worker, deadlineMs: number): Promise<void> => {
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  worker.postMessage({ kind: 'stop' } satisfies ThreadCommand)
  const timer = setTimeout(() => void worker.terminate(), deadlineMs)
  await ended
  clearTimeout(timer)
}

/** Runs a role in a worker thread, and restarts it with growing pauses after a failure. */
export const createRoleThread = (options: RoleThreadOptions): RoleThread => {
  let ahead = options.loaded
  let worker: Worker | undefined
  let ready = false
  let stopping = false
  let failures = 0
  const questions = createQuestions(options.name)
  let firstReady: PromiseWithResolvers<void> | undefined

  const onMessage = (message: ThreadMessage): void => {
    if (message.kind === 'metrics') options.onMetrics(message.changes)
    else if (message.kind === 'appended') options.onAppended?.()
    else if (message.kind === 'replaced') options.onReplaced?.(message.message)
    else if (message.kind === 'due') options.onDue?.(message.due)
    else if (message.kind === 'ready') {
      ready = true
      failures = 0
      firstReady?.resolve()
      firstReady = undefined
    } else questions.take(message)
  }

  const launch = (): void => {
    if (stopping) return
    const { worker: made, begin } = ahead === undefined || hasEnded(ahead) ? loadThread(options) : ahead
    ahead = undefined
    const { value, transfer } = options.data()
    begin.postMessage(value, transfer)
    worker = made
    const forget = offerReplacing(made.threadId, () => void made.terminate())
    let cause: Error | undefined
    made.on('message', onMessage)
    made.on('error', (error) => {
      cause = error instanceof Error ? error : new Error(String(error))
    })
    made.on('exit', (code) => {
      ready = false
      worker = undefined
      forget()
      questions.rejectAll()
      if (stopping) return
      failures += 1
      const delay = backoffMs(retryPolicies.thread, failures)
      options.logger.error(
        { thread: options.name, code, error: cause?.stack ?? '', delay },
        'a role ended and is started again',
      )
      if (firstReady !== undefined && failures >= 5) {
        firstReady.reject(cause ?? new Error(`${options.name} does not start`))
        firstReady = undefined
        return
      }
      setTimeout(() => void prepared(options).then(launch), delay)
    })
  }

  return {
    async start() {
      const begun = Promise.withResolvers<void>()
      firstReady = begun
      try {
        launch()
      } catch (error) {
        firstReady = undefined
        throw error
      }
      await begun.promise
    },
    running: () => ready,
    wake: createWake(() => worker),
    relay: (question, about) => questions.ask(worker, question, about),
    async stop(deadlineMs = 15_000) {
      stopping = true
      // A caller that waits for the start must not wait forever.
      firstReady?.reject(new Error(`${options.name} was ended before it was ready`))
      firstReady = undefined
      if (worker !== undefined) await endWorker(worker, deadlineMs)
    },
  }
}
