import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** An order for the attacker's process: `index` is the position in the list of hostile work. */
export type AttackerOrder = { order: 'prepare' | 'begin' | 'end'; index: number }

/**
 * A report of the attacker's process: `ready` when both tenants are created, then one after each order with the number
 * of finished pieces of work.
 */
export type AttackerReport = { ready: string } | { done: AttackerOrder['order']; pieces: number } | { failed: string }

/** The process of the attacker, while it is running. */
export type Attacker = AsyncDisposable & {
  /** Write key of the other tenant, who only sends ordinary events. */
  victimKey: string
  /**
   * Carries out an order, and returns the number of pieces finished so far. `end` waits for pieces that are still
   * running.
   */
  obey(order: AttackerOrder): Promise<number>
}

const lowest = 19

/**
 * Gives the group of a process's session the lowest weight. If Linux groups processes by session, it weighs sessions
 * before processes.
 */
const lowerSession = (pid: number): void => {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(lowest))
  } catch {
    // Linux does not group by session here, so only the niceness of the process counts.
  }
}

/** Starts the attacker of a running product in a process, and a session, of the lowest priority. The other tenant's events go to `webhook`. */
export const startAttacker = async (url: string, webhook: string): Promise<Attacker> => {
  const script = fileURLToPath(new URL('./attacker.ts', import.meta.url))
  const child = spawn('nice', ['-n', String(lowest), process.execPath, script, url, webhook], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    detached: true,
  })
  const ended = once(child, 'exit')
  const next = async (): Promise<AttackerReport> => {
    const [said] = (await Promise.race([
      once(child, 'message'),
      ended.then(() => Promise.reject(new Error('The attacker ended'))),
    ])) as [AttackerReport]
    if ('failed' in said) throw new Error(`The attacker failed: ${said.failed}`)
    return said
  }
  const ready = await next()
  if (child.pid !== undefined) lowerSession(child.pid)
  return {
    victimKey: 'ready' in ready ? ready.ready : '',
    async obey(order) {
      const said = next()
      child.send(order)
      const answer = await said
      return 'pieces' in answer ? answer.pieces : 0
    },
    async [Symbol.asyncDispose]() {
      child.disconnect()
      await ended
    },
  }
}
