import { readlinkSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'
import type { createRelayedMetrics } from '../operations/relayed-metrics.ts'
import type { ThreadCommand, ThreadMessage } from './role-thread.ts'

/** Sends to the main thread. */
export const tell = (message: ThreadMessage): void => {
  parentPort?.postMessage(message)
}

/** Tells that another process has taken a log that this thread writes: it is never tried again. */
export const tellReplaced = ({ message }: Error): void => tell({ kind: 'replaced', message })

/**
 * Lets the operating system prefer other threads over the calling one when the processors are short: accepting events
 * comes before processing them. Linux schedules threads by their own priority; elsewhere, or where it is refused,
 * nothing changes.
 */
export const yieldToAcceptance = (): void => {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // Not Linux, or not allowed: the role runs with the same priority as the rest.
  }
}

/**
 * Runs a role in this thread until it is told to stop: answers the main thread's commands, relays metrics once a second,
 * and drains at the end.
 */
export const hostRole = async (options: {
  role: { start(): Promise<void> | void; stop(): Promise<void>; wake(): void }
  /** By question; each gets what the question is about. One that is not here is answered with an error. */
  answers: Record<string, (about: unknown) => unknown>
  metrics: ReturnType<typeof createRelayedMetrics>
  close: () => Promise<void>
}): Promise<void> => {
  const { role, metrics } = options
  let isReady = false
  const relay = setInterval(() => tell({ kind: 'metrics', changes: metrics.drain() }), 1000)
  const answer = async (id: number, question: string, about: unknown): Promise<void> => {
    try {
      const known = Object.hasOwn(options.answers, question) ? options.answers[question] : undefined
      // Silence would be read as an empty answer.
      if (known === undefined) throw new Error(`There is no answer to the question "${question}"`)
      const value = await known(about)
      tell({ kind: 'answer', id, value })
    } catch (error) {
      tell({ kind: 'answer', id, error: error instanceof Error ? error.message : String(error) })
    }
  }
  const stop = async (): Promise<void> => {
    await role.stop()
    clearInterval(relay)
    tell({ kind: 'metrics', changes: metrics.drain() })
    await options.close()
    // What its start waits for may never come.
    if (!isReady) process.exit(0)
    parentPort?.close()
  }
  parentPort?.on('message', (command: ThreadCommand) => {
    if (command.kind === 'wake') role.wake()
    else if (command.kind === 'ask') void answer(command.id, command.question, command.about)
    else void stop()
  })
  await role.start()
  isReady = true
  tell({ kind: 'ready' })
}

/** Starts to follow a configuration cache and waits for its first snapshot: working without one would mean to know nobody. */
export const startCache = async (cache: { start(): Promise<void>; ready(): boolean }): Promise<void> => {
  await cache.start()
  while (!cache.ready()) await pause(100)
}
