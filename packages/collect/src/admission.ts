/** A request that waits. Exactly one of its functions is called, once. */
type Waiter = { cost: number; since: number; goOn(): void; sendAway(): void }

export type Admission = {
  /** Whether a request with this many bytes may go on now. If not, call `wait` with it. */
  admits(workspaceId: string, bytes: number): boolean
  /**
   * Continues a request in its turn: workspaces take turns, and the requests of a workspace keep their order. Sends it
   * away if that takes too long or if too much waits.
   */
  wait(workspaceId: string, bytes: number, goOn: () => void, sendAway: () => void): void
  /** Continues everything that waits, and holds nothing from now on. */
  close(): void
}

/** How often the pace is set, and how often waiting requests continue, in ms. */
const paceMs = 100
const releaseMs = 5
/** Maximum wait of a request, in ms. SDKs wait at least three times as long for a response. */
const patienceMs = 2000
const maxWaiting = { requests: 20_000, bytes: 32 * 1024 * 1024 }
/** Cost of a request in addition to its bytes. */
const requestCost = 512
/** Part of its time that a thread waits for a processor, above which it lacks processor time. */
const lacking = 0.4
/** Acceptance keeps this part of the rate that it had before it was slowed. */
const keptPart = 0.2
/** The pace is no longer limited when nothing had to wait for this many settings of the pace. */
const calmRounds = 10
/** The timers end when no request came for this many settings of the pace. */
const quietRounds = 20

type Pace = { limit: number; least: number; rate: number; shortRounds: number; calmRounds: number }

const unlimited: Pace = { limit: Number.POSITIVE_INFINITY, least: 0, rate: 0, shortRounds: 0, calmRounds: 0 }

/**
 * Returns the next pace, in cost per ms. It falls while a thread lacks processor time, and rises slowly afterwards. The
 * `rate` is the cost per ms that was admitted since the last call. `held` is the number of requests that had to wait.
 */
export const nextPace = (pace: Pace, shortage: number, rate: number, held: number): Pace => {
  const mean = pace.rate === 0 ? rate : 0.7 * pace.rate + 0.3 * rate
  const now = { ...pace, rate: mean, shortRounds: shortage > lacking ? pace.shortRounds + 1 : 0 }
  const isLimited = pace.limit !== Number.POSITIVE_INFINITY
  if (now.shortRounds > 1)
    return isLimited
      ? { ...now, calmRounds: 0, limit: Math.max(pace.least, pace.limit * 0.95) }
      : { ...now, calmRounds: 0, limit: mean * 0.9, least: mean * keptPart }
  if (!isLimited || now.shortRounds > 0) return now
  const calm = held === 0 ? pace.calmRounds + 1 : 0
  if (calm >= calmRounds) return { ...unlimited, rate: mean }
  return { ...now, calmRounds: calm, limit: Math.max(pace.limit, Math.min(pace.limit * 1.05, mean * 1.5)) }
}

/** The waiting requests. Workspaces take turns. */
const createWaiting = () => {
  const queues = new Map<string, Waiter[]>()
  let [requests, bytes] = [0, 0]
  const take = (workspaceId: string, queue: Waiter[]): Waiter | undefined => {
    const first = queue.shift()
    queues.delete(workspaceId)
    if (queue.length > 0) queues.set(workspaceId, queue)
    if (first === undefined) return undefined
    requests--
    bytes -= first.cost
    return first
  }
  return {
    has: (workspaceId: string): boolean => queues.has(workspaceId),
    isEmpty: (): boolean => requests === 0,
    isFull: (): boolean => requests >= maxWaiting.requests || bytes >= maxWaiting.bytes,
    add(workspaceId: string, waiter: Waiter): void {
      const queue = queues.get(workspaceId) ?? []
      if (queue.push(waiter) === 1) queues.set(workspaceId, queue)
      requests++
      bytes += waiter.cost
    },
    /** Removes the first request of the workspace whose turn it is. */
    next(): Waiter | undefined {
      for (const [workspaceId, queue] of queues) return take(workspaceId, queue)
      return undefined
    },
    /** Removes the requests that came before a time. */
    before(time: number): Waiter[] {
      const old: Waiter[] = []
      for (const [workspaceId, queue] of queues)
        while ((queue[0]?.since ?? Number.POSITIVE_INFINITY) < time) {
          const first = take(workspaceId, queue)
          if (first !== undefined) old.push(first)
        }
      return old
    },
  }
}

/**
 * Creates the admission of accepted requests. While threads that handle accepted events lack processor time, requests
 * wait a moment. So events are not accepted faster than they are delivered. The `shortage` is the
 * part of the time since its last call that such a thread waited for a processor with work left, from 0 to 1.
 */
export const createAdmission = (shortage: () => number, now = (): number => performance.now()): Admission => {
  const waiting = createWaiting()
  let pace = unlimited
  let [credit, creditAt] = [0, 0]
  let [admitted, held, setAt, quiet] = [0, 0, 0, 0]
  let setting: NodeJS.Timeout | undefined
  let releasing: NodeJS.Timeout | undefined
  let isClosed = false

  const spend = (cost: number): void => {
    admitted += cost
    credit -= cost
  }
  const refill = (): boolean => {
    const time = now()
    credit = Math.min(credit + (time - creditAt) * pace.limit, pace.limit * releaseMs * 4)
    creditAt = time
    return credit > 0
  }
  const release = (): void => {
    for (const { sendAway } of waiting.before(now() - patienceMs)) sendAway()
    while (!waiting.isEmpty() && (isClosed || pace.limit === Number.POSITIVE_INFINITY || refill())) {
      const waiter = waiting.next()
      if (waiter === undefined) break
      spend(waiter.cost)
      waiter.goOn()
    }
    if (!waiting.isEmpty()) return
    clearInterval(releasing)
    releasing = undefined
  }
  const set = (): void => {
    const time = now()
    const rate = admitted / Math.max(1, time - setAt)
    quiet = admitted === 0 && waiting.isEmpty() ? quiet + 1 : 0
    const wasLimited = pace.limit !== Number.POSITIVE_INFINITY
    pace = nextPace(pace, shortage(), rate, held)
    if (!wasLimited) [credit, creditAt] = [0, time]
    ;[admitted, held, setAt] = [0, 0, time]
    if (quiet < quietRounds) return
    clearInterval(setting)
    setting = undefined
    pace = unlimited
  }
  const start = (): void => {
    ;[setAt, quiet] = [now(), 0]
    shortage()
    setting = setInterval(set, paceMs)
    setting.unref()
  }

  return {
    admits(workspaceId, bytes) {
      if (isClosed) return true
      if (setting === undefined) start()
      const isLimited = pace.limit !== Number.POSITIVE_INFINITY
      if (isLimited || waiting.has(workspaceId)) return false
      spend(bytes + requestCost)
      return true
    },
    wait(workspaceId, bytes, goOn, sendAway) {
      held++
      if (waiting.isFull()) return sendAway()
      waiting.add(workspaceId, { cost: bytes + requestCost, since: now(), goOn, sendAway })
      releasing ??= setInterval(release, releaseMs)
    },
    close() {
      isClosed = true
      clearInterval(setting)
      release()
    },
  }
}
