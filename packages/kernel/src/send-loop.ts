import { setTimeout as pause } from 'node:timers/promises'
import { createRestPace } from './rest-pace.ts'

/** Minimum and maximum interval in ms between two checks for something to send. */
const looks = { minMs: 250, maxMs: 1000 }

/** A sender that regularly checks for something to send. */
export type SendLoop = {
  start(): void
  /** Sends everything that is waiting. Rejects if sending is not possible now. */
  send(): Promise<void>
  /** Stops the sender; resolves when none of its work is running. */
  stop(): Promise<void>
}

/**
 * Creates a sender that repeats turns. A turn sends a part of the waiting work, and returns whether it found some and
 * whether there may be more. A turn ends early if the signal aborts. After a failed turn, `onError` is called and the
 * next turn follows.
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
      let rest: number = looks.minMs
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
