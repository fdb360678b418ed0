import { setTimeout as pause } from 'node:timers/promises'
import { createRestPace } from './rest-pace.ts'

/** Ms between two looks for something to send. */
const looks = { leastMs: 250, mostMs: 1000 }

/** A sender that looks for something to send by itself. */
export type SendLoop = {
  start(): void
  /** Sends what there is. Rejects where it cannot be sent now. */
  send(): Promise<void>
  /** Resolves when nothing of it runs. */
  stop(): Promise<void>
}

/**
 * Makes a sender that repeats turns. A turn sends some of what there is: whether it found something, and whether there may
 * be more. It ends early once the signal aborts. After a turn that failed, `onError` is called and the next one follows.
 */
export const createSendLoop = (
  turn: (signal: AbortSignal) => Promise<{ found: boolean; more: boolean }>,
  onError: (error: unknown) => void,
): SendLoop => {
  const stopping = new AbortController()
  const { signal } = stopping
  const run = async (): Promise<void> => {
    const pace = createRestPace(looks)
    while (!signal.aborted) {
      let rest: number = looks.leastMs
      try {
        const { found, more } = await turn(signal)
        if (more) continue
        rest = pace.after(found)
      } catch (error) {
        onError(error)
      }
      await pause(rest, undefined, { signal }).catch(() => {})
    }
  }
  let running: Promise<void> | undefined
  return {
    start() {
      running ??= run()
    },
    async send() {
      while ((await turn(signal)).more);
    },
    async stop() {
      stopping.abort()
      await running
    },
  }
}
