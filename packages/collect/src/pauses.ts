import type { WorkspaceSpreads } from './ports.ts'

export type Pauses = {
  /** Something is on its way to the disk, until the answer is called; `isUnknown` where nobody knows whether it will be there. */
  begin(): (isUnknown?: boolean) => void
  /** Resolves when nothing is on its way to the disk. */
  idle(): Promise<void>
  /** Whether nothing of a workspace may be appended now: its spread is being changed, or may have been. */
  isPaused(workspaceId: string): boolean
  /** Whether some of a workspace wait, behind which others have to. */
  isAwaited(workspaceId: string): boolean
  /** Calls back when the pause is over, or, with false, when it takes too long; those of a workspace in their order. */
  wait(workspaceId: string, goOn: (isOver: boolean) => void): void
  /**
   * Names of changes of which nothing of their workspace is on its way to the log from before, and nothing will be, until they are over. A
   * change that is new is among them as soon as what was on its way is there: to be asked again and again, several times a second.
   */
  paused(): string[]
}

/** Within this something that failed may still come to be in the log, ms: it was on its way to another machine. */
const unknownMs = 10_000
/** A process that stood still for so long, ms, may be taken for dead by now, and not have been waited for. */
const stalledMs = 4000
/** How long a request waits for the end of a change, ms: SDKs wait for an answer at least so long. */
const patienceMs = 8000
const lookMs = 25
/** How many go on in one round of the loop: others are to have their turns. */
const atOnce = 100

type Waiter = { until: number; goOn(isOver: boolean): void }

/** What was on its way when this began, of which nobody knows more than how much. */
type Generation = { running: number; ended: (() => void)[] }

/**
 * Holds requests of workspaces whose spread is being changed, and knows when nothing of them is on its way. `isOneOfSeveral`: another process changes
 * spreads, which does not wait for this one when it stands still for long; `paused` has to be asked several times a second then.
 */
export const createPauses = (spreads: WorkspaceSpreads | undefined, isOneOfSeveral = false): Pauses => {
  let now: Generation = { running: 0, ended: [] }
  /** By the name of a change, whether what was before it is in the log. */
  const changes = new Map<string, boolean>()
  const older = new Set<Generation>()
  let unknownAt = Number.NEGATIVE_INFINITY
  /** When it was asked last; undefined before that. */
  let askedAt: number | undefined
  let refreshing = false

  const end = (generation: Generation, isUnknown: boolean): void => {
    if (isUnknown) unknownAt = performance.now()
    if (--generation.running > 0) return
    for (const ended of generation.ended) ended()
    generation.ended = []
    older.delete(generation)
  }
  const ended = (generation: Generation): Promise<void> =>
    generation.running === 0 ? Promise.resolve() : new Promise((resolve) => generation.ended.push(resolve))

  const settle = (change: string): void => {
    changes.set(change, false)
    if (now.running > 0) older.add(now)
    now = { running: 0, ended: [] }
    void Promise.all([...older].map(ended)).then(() => {
      if (changes.has(change)) changes.set(change, true)
    })
  }

  /** Whether what is known of spreads may be old, since this process stood still: then it is looked at again first. */
  const isStale = (): boolean => {
    const time = performance.now()
    if (isOneOfSeveral && !refreshing && askedAt !== undefined && time - askedAt > stalledMs) {
      refreshing = true
      askedAt = time
      void spreads?.refresh().finally(() => {
        refreshing = false
      })
    }
    return refreshing
  }
  /** By workspace, in the order in which they came. */
  const waiting = new Map<string, Waiter[]>()
  let looking: NodeJS.Timeout | undefined

  /** Lets go of those of a workspace that wait no longer. */
  const release = (workspaceId: string): void => {
    const waiters = waiting.get(workspaceId) ?? []
    const isOver = !isPaused(workspaceId)
    const time = performance.now()
    const count = waiters.findIndex(({ until }) => !isOver && time < until)
    const done = waiters.splice(0, Math.min(atOnce, count < 0 ? waiters.length : count))
    if (waiters.length === 0) waiting.delete(workspaceId)
    for (const { goOn } of done) goOn(isOver)
    if (isOver && waiters.length > 0) setImmediate(() => release(workspaceId))
  }
  const look = (): void => {
    for (const workspaceId of waiting.keys()) release(workspaceId)
    if (waiting.size > 0) return
    clearInterval(looking)
    looking = undefined
  }

  const isPaused = (workspaceId: string): boolean => isStale() || spreads?.of(workspaceId)?.change !== undefined

  return {
    begin() {
      const generation = now
      generation.running++
      return (isUnknown = false) => end(generation, isUnknown)
    },
    async idle() {
      await Promise.all([...older, now].map(ended))
    },
    isPaused,
    isAwaited: (workspaceId) => waiting.has(workspaceId),
    wait(workspaceId, goOn) {
      const waiters = waiting.get(workspaceId) ?? []
      waiters.push({ until: performance.now() + patienceMs, goOn })
      waiting.set(workspaceId, waiters)
      looking ??= setInterval(look, lookMs)
    },
    paused() {
      if (isStale()) return []
      askedAt = performance.now()
      const open = new Set(spreads?.changes() ?? [])
      for (const change of changes.keys()) if (!open.has(change)) changes.delete(change)
      for (const change of open) if (!changes.has(change)) settle(change)
      if (performance.now() - unknownAt < unknownMs) return []
      return [...changes].filter(([, isSettled]) => isSettled).map(([change]) => change)
    },
  }
}
