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
  /** Resolves when the thread first reports that it is ready; later restarts happen in the background. */
  start(): Promise<void>
  running(): boolean
  /** Notifies the thread that there may be work. Cheap; calls between two turns of the loop are one message. */
  wake(): void
  /** Passes a message on to the running thread; rejects when it ends before it answers. Callers use a client of it. */
  relay: Relay
  /** Drains and ends the thread; ended by force after `deadlineMs`. */
  stop(deadlineMs?: number): Promise<void>
}

/** A role as the rest of the process uses it, with the messages that it answers. */
export type Role<Table extends Messages> = Omit<RoleThread, 'relay'> & Client<Table>

/** Half of V8's own size, of which three threads' memory would never be given back. */
const youngMiB = 24

/**
 * Lets a heap double between two full collections. V8 sizes that step by how fast it collects, which looks slow on busy
 * processors. With its own choice a role under load was collected fully every few thousand events, which took a fifth
 * of all processor time. Old generations stay within `resourceLimits`.
 */
const relaxCollector = (): void => setFlagsFromString('--heap-growing-percent=100')

/** A thread that loads its code, and then waits until it gets its data. */
export type LoadedThread = { worker: Worker; begin: MessagePort }

type Again = {
  name: string
  logger: Logger
  /** Called before each start but the first. */
  beforeAgain?: () => Promise<void>
}

type ThreadCode = { name: string; entry: URL; heapMiB: number }

/** Creates a thread, which loads its code and does nothing else yet. */
export const loadThread = ({ name, entry, heapMiB }: ThreadCode): LoadedThread => {
  relaxCollector()
  const { port1, port2 } = new MessageChannel()
  const worker = new Worker(entry, {
    name,
    workerData: { begin: port2 } satisfies ThreadBeginning,
    transferList: [port2],
    resourceLimits: { maxOldGenerationSizeMb: heapMiB, maxYoungGenerationSizeMb: youngMiB },
  })
  // A thread that ends before it begins is created anew then.
  worker.on('error', () => {})
  return { worker, begin: port1 }
}

const hasEnded = ({ worker }: LoadedThread): boolean => worker.threadId === -1

/** Resolves when a thread may begin again. A failure on the way does not prevent that. */
const prepared = async ({ name, logger, beforeAgain }: Again): Promise<void> => {
  try {
    await beforeAgain?.()
  } catch (error) {
    logger.warn({ err: error, thread: name }, 'what blocked threads cannot be looked at now')
  }
}

/** Runs a role in a worker thread and starts it again, with growing pauses, when it fails. */
export const createRoleThread = (
  options: ThreadCode & {
    /** Created ahead, for the first start. */
    loaded?: LoadedThread | undefined
    /** Called for each start: what the thread gets, and the ports in it. */
    data: () => { value: object; transfer: readonly Transferable[] }
    onMetrics: (changes: MetricChange[]) => void
    /** Another process has taken a log that the thread writes. */
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
      // A caller that waits for the start must not wait for ever.
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
