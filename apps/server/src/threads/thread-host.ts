import { readlinkSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, threadName } from 'node:worker_threads'
import { joinThreadBoard } from '@tributary/kernel'
import type { createRelayedMetrics } from '../operations/relayed-metrics.ts'
import { type Answers, answerMessage, type Messages } from './messages/message.ts'
import type { ThreadCommand, ThreadMessage } from './role-thread.ts'

/** Sends a message to the main thread. */
export const tell = (message: ThreadMessage): void => {
  parentPort?.postMessage(message)
}

/** Reports that another process has taken over a log that this thread writes; the thread never opens it again. */
export const notifyReplaced = ({ message }: Error): void => tell({ kind: 'replaced', message })

/**
 * Lowers the priority of the calling thread. If there is too little processor time, the operating system then prefers
 * other threads: accepting events has priority over processing them. Linux has a priority for each thread. On other
 * systems, or without permission, nothing changes.
 */
export const yieldToAcceptance = (): void => {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // On other systems than Linux, or without permission, the role keeps its priority.
  }
}

/**
 * Runs a role in this thread until the main thread stops it: handles the main thread's commands, relays metrics once a
 * second, and drains at the end.
 */
export const hostRole = async <Table extends Messages>(options: {
  role: { start(): Promise<void> | void; stop(): Promise<void>; wake(): void }
  /** The role's messages. Any other message, such as one of another version, gets an error. */
  messages: Table
  answers: Answers<Table>
  metrics: ReturnType<typeof createRelayedMetrics>
  close: () => Promise<void>
}): Promise<void> => {
  const { role, metrics } = options
  // Unfinished work stays in a log, so a new thread can repeat it.
  const place = joinThreadBoard(threadName || 'role', { isReplaceable: true })
  let isReady = false
  const tellMetrics = (): void => {
    const changes = metrics.drain()
    if (changes.length > 0) tell({ kind: 'metrics', changes })
  }
  const relay = setInterval(tellMetrics, 1000)
  const answer = async (id: number, question: string, about: unknown): Promise<void> => {
    try {
      const value = await answerMessage(options, question, about)
      tell({ kind: 'answer', id, value })
    } catch (error) {
      tell({ kind: 'answer', id, error: error instanceof Error ? error.message : String(error) })
    }
  }
  const stop = async (): Promise<void> => {
    place.pause()
    await role.stop()
    clearInterval(relay)
    tellMetrics()
    await options.close()
    place.leave()
    // The role has not started, and may wait for an event that never comes.
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
  place.watch()
  tell({ kind: 'ready' })
}

/** Starts a configuration cache and waits for its first data. Without that, every workspace would look unknown. */
export const startCache = async (cache: { start(): Promise<void>; ready(): boolean }): Promise<void> => {
  await cache.start()
  while (!cache.ready()) await pause(100)
}
