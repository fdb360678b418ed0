import { setTimeout as pause } from 'node:timers/promises'
import { type AcceptedEvent, valuesOf } from '@tributary/storage'

/** Rests so many times as long as it worked: what remains is a thirteenth of a processor. */
const restShare = 12
/** Longest rest after a batch, ms. */
const maxRestMs = 4000
/** Who is so far behind gives way no longer, ms since the last event was received. */
const maxLagMs = 60_000

/**
 * Makes what is called after each batch, with the time it took (ms). While others come first it rests, so that the processor
 * is theirs; profiles are then at most about a minute behind.
 */
export const createGivingWay =
  ({
    isBusy,
    now = Date.now,
    rest,
  }: {
    /** Whether others come first now. */
    isBusy: () => boolean
    now?: () => number
    rest: (ms: number) => Promise<void>
  }) =>
  async (events: readonly AcceptedEvent[], tookMs: number): Promise<void> => {
    const last = events.at(-1)
    if (last === undefined || !isBusy()) return
    if (now() - Date.parse(valuesOf(last).receivedAt) < maxLagMs) await rest(Math.min(tookMs * restShare, maxRestMs))
  }

/** A rest that ends with the signal. */
export const restUntil =
  (signal: AbortSignal) =>
  (ms: number): Promise<void> =>
    pause(ms, undefined, { signal }).catch(() => {})
