import { setTimeout as pause } from 'node:timers/promises'
import type { ProfileValues } from '@tributary/connector-kit'
import type { Clock } from '@tributary/kernel'

export type ProfileWaitDeps = {
  /** Reads the profiles of persons. Without it, conversions have no values of profiles. */
  profiles?: ProfileValues | undefined
  /** How long an event waits until profiles have read it, ms. */
  profileWaitMs?: number
  /** Whether profiles have sent nothing for some time, so that waiting for them is useless. */
  areProfilesSilent?: () => boolean
  clock: Clock
}

/** How often signals look whether profiles have read an event, ms. */
const lookMs = 50

/**
 * Waits until profiles have read the record of a batch. Resolves to false if they have not when the wait of the oldest
 * event is over, or if they are silent. The clock of a collector may be ahead, so a batch never waits longer than an
 * event may. Rejects if the signal aborts.
 */
export const untilRead = async (
  { profiles, profileWaitMs = 0, areProfilesSilent, clock }: ProfileWaitDeps,
  receivedAt: readonly string[],
  { partition, offset }: { partition: number; offset: number },
  signal: AbortSignal,
): Promise<boolean> => {
  if (profiles === undefined) return true
  const from = Math.min(clock(), ...receivedAt.map((time) => Date.parse(time)))
  while (!profiles.hasRead(partition, offset)) {
    if (areProfilesSilent?.() === true || !(clock() - from < profileWaitMs)) return false
    await pause(lookMs, undefined, { signal })
  }
  return true
}
