import type { RequestMeta } from '@tributary/contract'
import { faultPoint, type Logger } from '@tributary/kernel'
import { cutRequest, LogOverloaded, type RequestPart } from '@tributary/storage'
import type { Admission, Quota } from './admission.ts'
import type { CollectDeps, WorkspaceSpreads, WriteKeyEntry } from './ports.ts'
import type { Refusal, RetryLater } from './refusal.ts'

export type Pauses = {
  /**
   * Registers an append in flight until the returned function is called; `isUnknown` means that the outcome of the
   * append is unknown.
   */
  begin(): (isUnknown?: boolean) => void
  /** Resolves when no append is in flight. */
  idle(): Promise<void>
  /** Whether no request of a workspace can be appended now, because the spread of the workspace is being changed. */
  isPaused(workspaceId: string): boolean
  /** Whether requests of a workspace wait. Later requests must then wait behind them. */
  isAwaited(workspaceId: string): boolean
  /**
   * Continues a request when the pause is over. Rejects it if the pause takes too long or too many requests wait.
   * Requests of a workspace continue in order, each after the previous one is done. `isGoing` marks a request that was
   * already continuing and has to wait again.
   */
  wait(workspaceId: string, waiter: Waiter, isGoing?: boolean): void
  /** Ends all waits; waiting requests are rejected. */
  close(): void
  /**
   * Returns the names of the changes whose workspaces have no earlier append in flight, and will have none until the
   * change is over. A new change is included when the earlier appends are done, so call this function several times a
   * second.
   */
  paused(): string[]
}

/** Time in ms within which a failed append may still reach the log, because it was on its way to another machine. */
const unknownMs = 10_000
/** Maximum wait of a request for the end of a change, in ms: SDKs wait at least this long for a response. */
const patienceMs = 8000
const lookMs = 25
/**
 * Maximum number of waiting requests, of one workspace and of all workspaces. Further requests are rejected
 * immediately.
 */
const maxWaiting = { ofOne: 5000, ofAll: 20_000 }
/** Maximum number and bytes of requests that continue in one round of the event loop. */
const atOnce = { requests: 100, bytes: 256 * 1024 }

/** A waiting request. `goOn` yields whenever other work needs a turn. */
export type Waiter = { bytes: number; goOn(): Generator<void, void>; sendAway(): void }

/** The waiting requests of a workspace, in order of arrival. */
type Queue = {
  waiters: (Waiter & { until: number })[]
  /** The request that is continuing now, and the time until which it can wait again. */
  going: Generator<void, void> | undefined
  goingUntil: number
  /** Whether the queue continues in the next round of the event loop. */
  isDue: boolean
}

/**
 * The appends that began between two changes of spreads: the number of unfinished appends, and callbacks for their end.
 */
type Generation = { running: number; ended: (() => void)[] }

/**
 * Holds requests of workspaces whose spread is being changed, and tracks their appends in flight. `isUnsure` returns
 * whether a failed append is still being sent.
 */
export const createPauses = (spreads: WorkspaceSpreads | undefined, isUnsure: () => boolean = () => false): Pauses => {
  let now: Generation = { running: 0, ended: [] }
  /** By the name of a change, whether all appends that began before the change have ended. */
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

  /**
   * Continues the first request of a workspace if the pause is over, or rejects the request if its wait was too long;
   * returns false if there is nothing to do.
   */
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
  /**
   * Continues the waiting requests of a workspace after the pause: some of them now, and the others in later rounds of
   * the event loop.
   */
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
      else if (isClosed || queue.waiters.length >= maxWaiting.ofOne || count >= maxWaiting.ofAll)
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

/** A checked request to append to the log. */
type Accepted = { entry: WriteKeyEntry; meta: RequestMeta; body: Buffer }
type Done = (refusal?: Refusal) => void

export type LogProducer = {
  /**
   * Appends a request to the log and calls `done` once: without an argument when the whole request is on disk,
   * otherwise with a refusal. After a refusal, the producer keeps nothing of the request. A request of a workspace that
   * is spread over several partitions is split; after a refusal, a part of it may still be on disk. The generator
   * yields while a large body is split, so that other work can run.
   */
  append(accepted: Accepted, done: Done): Generator<void, void>
  /** Does the same as `append` in one step, without yielding to other work. */
  appendNow(accepted: Accepted, done: Done): void
  /** Resolves when no append is in flight. */
  idle(): Promise<void>
  /** See `Pauses`. */
  paused: Pauses['paused']
  /** Rejects the requests that wait for the end of a change of their workspace's spread. */
  close(): void
}

const observeEvery = 32

type Part = Omit<RequestPart, 'partition'> & { partition?: number }

/**
 * Calls `done`, and only logs its errors: the outcome of the record is already decided, and only the response is
 * lost.
 */
const settle = (logger: Logger, done: Done, refusal?: Refusal): void => {
  try {
    done(refusal)
  } catch (error) {
    logger.error({ err: error }, 'answer to a collection request failed')
  }
}

/** Runs an append to its end without yielding to other work. */
const drain = (appending: Generator<void, void>): void => {
  while (appending.next().done !== true) {}
}

/** Creates the producer that appends requests to the log, within the quota of each workspace. */
export const createLogProducer = (
  deps: Pick<CollectDeps, 'log' | 'logger' | 'metrics' | 'clock' | 'spreads'>,
  quota: Quota,
  retryLater: RetryLater,
  admission: Admission,
): LogProducer => {
  const { log, logger, metrics, clock, spreads } = deps
  const pauses = createPauses(spreads, () => log.isUnsure?.() === true)
  let appended = 0
  let lastComplaint = 0

  const failed = (error: unknown): Refusal => {
    if (error instanceof LogOverloaded) return retryLater.overloaded
    const now = clock()
    if (now - lastComplaint > 1000) {
      lastComplaint = now
      logger.error({ err: error }, 'log cannot be written; collection answers 503')
    }
    return retryLater.unavailable
  }
  /** Appends the part for one partition, or the whole request if it was not split. */
  const put = (workspaceId: string, { meta, body, partition }: Part, done: Done): void => {
    const finished = pauses.begin()
    const from = ++appended % observeEvery === 0 ? performance.now() : 0
    log.append({ key: workspaceId, partition, meta: JSON.stringify(meta), body }).then(
      (place) => {
        quota.placed(workspaceId, body.length, place)
        if (from !== 0) metrics.observe('collect_append', performance.now() - from)
        faultPoint('collect.appended')
        finished()
        settle(logger, done)
      },
      (error: unknown) => {
        quota.release(workspaceId, body.length)
        finished(!(error instanceof LogOverloaded))
        settle(logger, done, failed(error))
      },
    )
  }

  const putAll = (workspaceId: string, parts: readonly RequestPart[], done: Done): void => {
    let open = parts.length
    let refused: Refusal | undefined
    for (const part of parts)
      put(workspaceId, part, (refusal) => {
        refused ??= refusal
        // Success means that all parts are in the log. After a refusal, some parts may be in the log. If the client
        // repeats the request, their events are discarded by their message IDs.
        if (--open === 0) done(refused)
      })
  }

  /** Appends a request now or after its wait, if acceptance is slowed. */
  function* admit(accepted: Accepted, done: Done): Generator<void, void> {
    const { workspaceId } = accepted.entry
    const { length } = accepted.body
    if (admission.admits(workspaceId, length)) return yield* append(accepted, done)
    const goOn = () => append(accepted, done)
    admission.wait(workspaceId, length, { goOn, sendAway: () => settle(logger, done, retryLater.slowed) })
  }

  function* append(accepted: Accepted, done: Done, hasWaited = false): Generator<void, void> {
    const { workspaceId } = accepted.entry
    if (pauses.isPaused(workspaceId) || (!hasWaited && pauses.isAwaited(workspaceId))) {
      const goOn = () => append(accepted, done, true)
      const sendAway = () => settle(logger, done, retryLater.moving)
      return pauses.wait(workspaceId, { bytes: accepted.body.length, goOn, sendAway }, hasWaited)
    }
    const spread = spreads?.of(workspaceId)
    if (spread === undefined) {
      if (!quota.reserve(workspaceId, accepted.body.length)) return done(retryLater.quota)
      return put(workspaceId, accepted, done)
    }
    const parts = yield* cutRequest(accepted.meta, accepted.body, spread.partitions)
    // The spread may have changed while other work ran during the split.
    if (spreads?.of(workspaceId) !== spread) return yield* append(accepted, done, hasWaited)
    const bytes = parts.reduce((sum, { body }) => sum + body.length, 0)
    if (!quota.reserve(workspaceId, bytes)) return done(retryLater.quota)
    putAll(workspaceId, parts, done)
  }

  return {
    append: admit,
    appendNow: (accepted, done) => drain(admit(accepted, done)),
    idle: pauses.idle,
    paused: pauses.paused,
    close() {
      admission.close()
      pauses.close()
    },
  }
}
