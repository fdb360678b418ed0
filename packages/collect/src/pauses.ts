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
  /**
   * Has a request go on when the pause is over, or sends it away when that takes too long or too many wait: those of a workspace in their order, each
   * done before the next one begins. With `isGoing` it is the one that goes on now, and has to wait again.
   */
  wait(workspaceId: string, waiter: Waiter, isGoing?: boolean): void
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
/** How many go on in one round of the loop, and bytes of theirs, where none yields: others are to have their turns. */
const atOnce = { requests: 100, bytes: 256 * 1024 }

/** A request that waits. It yields where others are to have a turn before it goes on further. */
export type Waiter = { bytes: number; goOn(): Generator<void, void>; sendAway(): void }

/** Those of a workspace, in the order in which they came. */
type Queue = {
  waiters: (Waiter & { until: number })[]
  /** The one that goes on now, and until when it would have waited. */
  going: Generator<void, void> | undefined
  goingUntil: number
  /** It goes on in the next round of the loop. */
  isDue: boolean
}

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

  const waiting = new Map<string, Queue>()
  let count = 0
  let isClosed = false
  let looking: NodeJS.Timeout | undefined

  /** Begins with the first of a workspace, if it waits no longer; false when there is none. */
  const beginNext = (workspaceId: string, queue: Queue): boolean => {
    const [first] = queue.waiters
    const isOver = !isPaused(workspaceId)
    if (first === undefined || (!isOver && !isClosed && performance.now() < first.until)) return false
    queue.waiters.shift()
    count--
    queue.goingUntil = first.until
    if (isOver) queue.going = first.goOn()
    else first.sendAway()
    return true
  }
  /** Lets go of those of a workspace that wait no longer: a turn of them, and the others when it is theirs again. */
  const release = (workspaceId: string): void => {
    const queue = waiting.get(workspaceId)
    if (queue === undefined || queue.isDue) return
    let bytes = 0
    for (let requests = 0; requests < atOnce.requests && bytes < atOnce.bytes; requests++) {
      if (queue.going === undefined) {
        bytes += queue.waiters[0]?.bytes ?? 0
        if (!beginNext(workspaceId, queue)) {
          if (queue.waiters.length === 0) waiting.delete(workspaceId)
          return
        }
      }
      if (queue.going?.next().done === false) break
      queue.going = undefined
    }
    queue.isDue = true
    setImmediate(() => {
      queue.isDue = false
      release(workspaceId)
    })
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
    wait(workspaceId, waiter, isGoing = false) {
      const queue = waiting.get(workspaceId) ?? { waiters: [], going: undefined, goingUntil: 0, isDue: false }
      if (isGoing) queue.waiters.unshift({ ...waiter, until: queue.goingUntil })
      else if (isClosed || queue.waiters.length >= mostWaiting.ofOne || count >= mostWaiting.ofAll)
        return waiter.sendAway()
      else queue.waiters.push({ ...waiter, until: performance.now() + patienceMs })
      count++
      waiting.set(workspaceId, queue)
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
