import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** An order for the attacker's process: `index` counts in the list of hostile work. */
export type AttackerOrder = { order: 'prepare' | 'begin' | 'end'; index: number }

/** A report of it: once that both tenants are created, then after each order, with the finished pieces of work. */
export type AttackerReport = { ready: string } | { done: AttackerOrder['order']; pieces: number } | { failed: string }

/** A running attacker. */
export type Attacker = AsyncDisposable & {
  /** Write key of the other tenant, who only wants to send. */
  victimKey: string
  /** Resolves with the pieces finished so far when the order is carried out; `end` waits for those under way. */
  obey(order: AttackerOrder): Promise<number>
}

const lowest = 19

/** Linux weighs sessions before processes where it groups them, so the group gets the lowest weight, too. */
const lowerSession = (pid: number): void => {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(lowest))
  } catch {
    // Not grouped: the niceness of the process counts.
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
