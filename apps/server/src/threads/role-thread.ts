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

/** A role for the rest of the process, with a client for its messages. */
export type Role<Table extends Messages> = Omit<RoleThread, 'relay'> & Client<Table>

/** Half of V8's default, which three threads would never free again. */
const youngMiB = 24

/**
 * Lets a heap double between two full collections. V8 sizes that step by how fast it collects, which looks slow on busy
 * processors. With the default, a role under load had a full collection every few thousand events, which took a fifth
 * of all processor time. Old generations stay within `resourceLimits`.
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
  // A thread that ends before it begins is created again at the start.
  worker.on('error', () => {})
  return { worker, begin: port1 }
}

const hasEnded = ({ worker }: LoadedThread): boolean => worker.threadId === -1

/** Resolves when a thread may be restarted. A failure of the preparation does not prevent that. */
const prepared = async ({ name, logger, beforeAgain }: Again): Promise<void> => {
  try {
    await beforeAgain?.()
  } catch (error) {
    logger.warn({ err: error, thread: name }, 'what blocked threads cannot be looked at now')
  }
}

/** Runs a role in a worker thread, and restarts it with growing pauses after a failure. */
export const createRoleThread = (
  options: ThreadCode & {
    /** A thread that was created ahead, for the first start. */
    loaded?: LoadedThread | undefined
    /** Called for each start: returns the data for the thread, and the ports in it. */
    data: () => { value: object; transfer: readonly Transferable[] }
    onMetrics: (changes: MetricChange[]) => void
    /** Called when another process has taken over a log that the thread writes. */
    onReplaced?: (message: string) => void
    onAppended?: () => void
    onDue?: (due: DueDeliveries) => void
  } & Again,
): RoleThread => {
  let ahead = options.loaded
  let worker: Worker | undefined
  let ready = false
  let stopping = false
  let failures = 0
  let woken = false
  let nextQuestion = 0
  const questions = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  let firstReady: { resolve(): void; reject(error: Error): void } | undefined

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
    } else {
      const waiting = questions.get(message.id)
      questions.delete(message.id)
      if (message.error === undefined) waiting?.resolve(message.value)
      else waiting?.reject(new Error(message.error))
    }
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
      for (const { reject } of questions.values()) reject(new Error(`${options.name} ended`))
      questions.clear()
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
    start: () =>
      new Promise((resolve, reject) => {
        firstReady = { resolve, reject }
        launch()
      }),
    running: () => ready,
    wake() {
      if (woken || worker === undefined) return
      woken = true
      setImmediate(() => {
        woken = false
        worker?.postMessage({ kind: 'wake' } satisfies ThreadCommand)
      })
    },
    relay: (question, about) =>
      new Promise((resolve, reject) => {
        if (worker === undefined) {
          reject(new Error(`${options.name} is not running`))
          return
        }
        const id = nextQuestion++
        questions.set(id, { resolve, reject })
        worker.postMessage({ kind: 'ask', id, question, about } satisfies ThreadCommand)
      }),
    async stop(deadlineMs = 15_000) {
      stopping = true
      // A caller that waits for the start must not wait forever.
      firstReady?.reject(new Error(`${options.name} was ended before it was ready`))
      firstReady = undefined
      const running = worker
      if (running === undefined) return
      const ended = new Promise<void>((resolve) => running.once('exit', () => resolve()))
      running.postMessage({ kind: 'stop' } satisfies ThreadCommand)
      const timer = setTimeout(() => void running.terminate(), deadlineMs)
      await ended
      clearTimeout(timer)
    },
  }
}
