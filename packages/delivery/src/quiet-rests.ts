import { createRest } from '@tributary/kernel'

/** How long each loop rests while there is nothing to send or write, ms. */
const restMs = { tick: 250, write: 1000 } as const

/** The rests of a delivery's loops while there is nothing to do. */
export type QuietRests = {
  /** Resolves when the loop's rest is over, or was ended. */
  take(loop: keyof typeof restMs): Promise<void>
  /** Ends the rests that loops take now. Cheap, so it can be called for each record. */
  offered(): void
  /** Ends the current rests, or else the next ones. */
  wake(): void
}

/** Creates the rests. */
export const createQuietRests = (): QuietRests => {
  const rests = { tick: createRest(), write: createRest() }
  let resting = 0
  const wake = (): void => {
    rests.tick.wake()
    rests.write.wake()
  }
  return {
    async take(loop) {
      resting++
      await rests[loop].take(restMs[loop])
      resting--
    },
    offered: () => {
      if (resting > 0) wake()
    },
    wake,
  }
}
