import type { BoardThread } from '@tributary/kernel'

/** Times in ms. */
export type SilenceBounds = {
  /** Interval of the checks. */
  tickMs: number
  /** Time after which a silent thread is logged. */
  logMs: number
  /** Time after which a silent thread is ended. */
  endMs: number
  /** Additional time that the process waits for a thread that should end by itself. */
  graceMs: number
}

/** A step against a thread that does not respond. Each step is reported once until the thread responds again. */
export type SilenceStep = { kind: 'log' | 'replace' | 'end'; thread: BoardThread; silentMs: number }

type Silence = { thread: BoardThread; silentMs: number; queuedMs: number; said: SilenceStep['kind'] | undefined }

/**
 * Measures how long threads have not responded, and returns the steps that are due. Only time in which the watchdog
 * itself ran counts. A check counts for at most two of its periods, so that a stopped process or a suspended machine
 * does not count. Time in which a thread waited for a processor does not count, either: `queuedMs` returns that time
 * since the thread began.
 */
export const createSilenceWatch = (
  { tickMs, logMs, endMs, graceMs }: SilenceBounds,
  queuedMs: (thread: BoardThread) => number = () => 0,
) => {
  const silences = new Map<number, Silence>()
  let last: number | undefined
  const stepOf = ({ thread, silentMs, said }: Silence): SilenceStep['kind'] | undefined => {
    if (said === 'end') return undefined
    if (thread.isOnlyNamed) return silentMs >= logMs && said === undefined ? 'log' : undefined
    if (silentMs >= endMs + graceMs || (silentMs >= endMs && !thread.isReplaceable)) return 'end'
    if (silentMs >= endMs) return said === 'replace' ? undefined : 'replace'
    return silentMs >= logMs && said === undefined ? 'log' : undefined
  }
  return {
    /** Checks all threads. `now` comes from a monotonic clock, in ms. */
    look(now: number, threads: readonly BoardThread[]): SilenceStep[] {
      const passed = last === undefined ? 0 : Math.min(Math.max(0, now - last), 2 * tickMs)
      last = now
      const steps: SilenceStep[] = []
      const slots = new Set<number>()
      for (const thread of threads) {
        slots.add(thread.slot)
        const known = silences.get(thread.slot)
        const isSame =
          known !== undefined && known.thread.threadId === thread.threadId && known.thread.beat === thread.beat
        if (!thread.isWatched || !isSame) {
          silences.set(thread.slot, { thread, silentMs: 0, queuedMs: queuedMs(thread), said: undefined })
          continue
        }
        const queued = queuedMs(thread)
        known.silentMs += Math.max(0, passed - (queued - known.queuedMs))
        known.queuedMs = queued
        known.thread = thread
        const kind = stepOf(known)
        if (kind === undefined) continue
        known.said = kind
        steps.push({ kind, thread, silentMs: known.silentMs })
      }
      for (const slot of silences.keys()) if (!slots.has(slot)) silences.delete(slot)
      return steps
    },
  }
}
