import { setTimeout as pause } from 'node:timers/promises'
import { type AcceptedEvent, valuesOf } from '@tributary/storage'

/** The rest after a batch as a multiple of its time: a thirteenth of a processor remains. */
const restShare = 12
/** Maximum rest after a batch, ms. */
const maxRestMs = 4000
/** Profiles that are this far behind do not rest, ms since the last event was received. */
const maxLagMs = 60_000

/**
 * Creates the function that is called after each batch, with the time it took (ms). It rests while other work has
 * priority, so that the processor is free for that; profiles are then at most about a minute behind.
 */
export const createGivingWay =
  ({
    isBusy,
    now = Date.now,
    rest,
  }: {
    /** Whether other work has priority now. */
    isBusy: () => boolean
    now?: () => number
    rest: (ms: number) => Promise<void>
  }) =>
  async (events: readonly AcceptedEvent[], tookMs: number): Promise<void> => {
    const last = events.at(-1)
    if (last === undefined || !isBusy()) return
    if (now() - Date.parse(valuesOf(last).receivedAt) < maxLagMs) await rest(Math.min(tookMs * restShare, maxRestMs))
  }

/** Creates a rest that ends with the signal. */
export const restUntil =
  (signal: AbortSignal) =>
  (ms: number): Promise<void> =>
    pause(ms, undefined, { signal }).catch(() => {})
