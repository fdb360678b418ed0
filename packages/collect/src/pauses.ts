import type { WorkspaceSpreads } from './ports.ts'

export type Pauses = {
  /** Something is on its way to the disk, until the answer is called; `isUnknown` where nobody knows whether it will be there. */
  begin(): (isUnknown?: boolean) => void
  /** Resolves when nothing is on its way to the disk. */
  idle(): Promise<void>
  /** Whether nothing of a workspace may be appended now: its spread is being changed. */
  isPaused(workspaceId: string): boolean
  /** Whether some of a workspace wait, behind which others have to. */
  isAwaited(workspaceId: string): boolean
  /** Calls back when the pause is over, or, with false, when it takes too long or too many wait; those of a workspace in their order. */
  wait(workspaceId: string, goOn: (isOver: boolean) => void): void
  /** Nobody waits any more. */
  close(): void
  /**
   * Names of changes of which nothing of their workspace is on its way to the log from before, and nothing will be, until they are over. A
   * change that is new is among them as soon as what was on its way is there: to be asked again and again, several times a second.
   */
  paused(): string[]
}

/** Within this something that failed may still come to be in the log, ms: it was on its way to another machine. */
const unknownMs = 10_000
/** How long a request waits for the end of a change, ms: SDKs wait for an answer at least so long. */
const patienceMs = 8000
const lookMs = 25
/** Requests that wait at most, of one workspace and of all: beyond it, they are sent away at once. */
const mostWaiting = { ofOne: 5000, ofAll: 20_000 }
/** How many go on in one round of the loop: others are to have their turns. */
const atOnce = 100

type Waiter = { until: number; goOn(isOver: boolean): void }

/** What was on its way when this began, of which nobody knows more than how much. */
type Generation = { running: number; ended: (() => void)[] }

/**
 * Holds requests of workspaces whose spread is being changed, and knows when nothing of them is on its way. `isUnsure` tells whether something that
 * failed is still being sent.
 */
export const createPauses = (spreads: WorkspaceSpreads | undefined, isUnsure: () => boolean = () => false): Pauses => {
  let now: Generation = { running: 0, ended: [] }
  /** By the name of a change, whether what was before it is in the log. */
  const changes = new Map<string, boolean>()
  const older = new Set<Generation>()
  let unknownAt = Number.NEGATIVE_INFINITY

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

  /** By workspace, in the order in which they came. */
  const waiting = new Map<string, Waiter[]>()
  let count = 0
  let isClosed = false
  let looking: NodeJS.Timeout | undefined

  /** Lets go of those of a workspace that wait no longer. */
  const release = (workspaceId: string): void => {
    const waiters = waiting.get(workspaceId) ?? []
    const isOver = !isPaused(workspaceId)
    const time = performance.now()
    const first = waiters.findIndex(({ until }) => !isOver && !isClosed && time < until)
    const done = waiters.splice(0, Math.min(atOnce, first < 0 ? waiters.length : first))
    count -= done.length
    if (waiters.length === 0) waiting.delete(workspaceId)
    for (const { goOn } of done) goOn(isOver)
    if ((isOver || isClosed) && waiters.length > 0) setImmediate(() => release(workspaceId))
  }
  const look = (): void => {
    for (const workspaceId of waiting.keys()) release(workspaceId)
    if (waiting.size > 0) return
    clearInterval(looking)
    looking = undefined
  }

  const isPaused = (workspaceId: string): boolean => spreads?.of(workspaceId)?.change !== undefined

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
      if (isClosed || waiters.length >= mostWaiting.ofOne || count >= mostWaiting.ofAll) return goOn(false)
      count++
      waiters.push({ until: performance.now() + patienceMs, goOn })
      waiting.set(workspaceId, waiters)
      looking ??= setInterval(look, lookMs)
    },
    close() {
      isClosed = true
      look()
    },
    paused() {
      const open = new Set(spreads?.changes() ?? [])
      for (const change of changes.keys()) if (!open.has(change)) changes.delete(change)
      for (const change of open) if (!changes.has(change)) settle(change)
      if (isUnsure() || performance.now() - unknownAt < unknownMs) return []
      return [...changes].filter(([, isSettled]) => isSettled).map(([change]) => change)
    },
  }
}
