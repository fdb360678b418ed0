import { setTimeout as pause } from 'node:timers/promises'
import { type AcceptedEvent, valuesOf } from '@tributary/storage'

/**
 * The pause after a batch, as a multiple of the duration of the batch. Profiles then use a thirteenth of a processor.
 */
const restShare = 12
/** Maximum pause after a batch, in ms. */
const maxRestMs = 4000
/** Maximum lag of profiles with pauses, in ms since the last event was received. Above it, profiles do not pause. */
const maxLagMs = 10_000

/**
 * Creates the function that is called after each batch, with its duration in ms. The function pauses while other work
 * has priority, so that the processor is free for that work. Profiles are then about ten seconds behind at most.
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

/** Creates a pause that ends early if the signal aborts. */
export const restUntil =
  (signal: AbortSignal) =>
  (ms: number): Promise<void> =>
    pause(ms, undefined, { signal }).catch(() => {})
