import { createRest } from './rest.ts'
import { createRestPace } from './rest-pace.ts'

/** Minimum interval in ms between two checks for something to send, unless the sender is woken. */
const minMs = 250
/** Minimum pause in ms of a woken sender, so that many wake-ups in a row cause few checks. */
const wokenMs = 100

/** A sender that regularly checks for something to send. */
export type SendLoop = {
  start(): void
  /** Checks soon, because there may be something to send. */
  wake(): void
  /** Sends everything that is waiting. Rejects if sending is not possible now. */
  send(): Promise<void>
  /** Stops the sender; resolves when none of its work is running. */
  stop(): Promise<void>
}

/**
 * Creates a sender that repeats turns. A turn sends a part of the waiting work, and returns whether it found some and
 * whether there may be more. A turn ends early if the signal aborts. After a failed turn, `onError` is called and the
 * next turn follows after 250 ms. While a turn finds nothing, the next one follows after up to `maxMs`, or after `wake`,
 * but not before 100 ms.
 */
export const createSendLoop = (
  turn: (signal: AbortSignal) => Promise<{ found: boolean; more: boolean }>,
  onError: (error: unknown) => void,
  maxMs = 1000,
): SendLoop => {
  const stopping = new AbortController()
  const { signal } = stopping
  const rest = createRest()
  const run = async (): Promise<void> => {
    const pace = createRestPace({ minMs, maxMs })
    while (!signal.aborted) {
      let [restMs, leastMs] = [minMs, minMs]
      try {
        const { found, more } = await turn(signal)
        if (more) continue
        restMs = pace.after(found)
        leastMs = wokenMs
      } catch (error) {
        onError(error)
      }
      await rest.take(restMs, leastMs)
    }
  }
  let running: Promise<void> | undefined
  return {
    start() {
      running ??= run()
    },
    wake: rest.wake,
    async send() {
      while ((await turn(signal)).more);
    },
    async stop() {
      stopping.abort()
      rest.stop()
      await running
    },
  }
}
