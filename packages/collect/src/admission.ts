import type { Logger } from '@tributary/kernel'

/** The bytes of each workspace that were accepted and are not processed yet. */
export type Quota = {
  /** Counts bytes as accepted. Returns false, and counts nothing, if the workspace has used up its quota. */
  reserve(workspaceId: string, bytes: number): boolean
  /** Records the partition and offset at which counted bytes are in the log. */
  placed(workspaceId: string, bytes: number, place: { partition: number; offset: number }): void
  /** Releases bytes that could not be written. */
  release(workspaceId: string, bytes: number): void
  isFull(workspaceId: string): boolean
  /**
   * Records which requests are processed. `positions` has an offset for each partition; every earlier request is
   * processed. Ignores values of another form.
   */
  processed(positions: unknown): void
}

/** The unprocessed bytes of a range of offsets in a partition, by workspace. */
type Chunk = { until: number; bytes: number; of: Map<string, number> }

/** Maximum bytes of a chunk before the next one begins. */
const chunkBytes = 4 * 1024 * 1024
/**
 * Maximum number of entries in all chunks together; a chunk has an entry for each of its workspaces. Above it,
 * neighboring chunks are joined, so that bytes are released in coarser steps.
 */
const maxEntries = 100_000

const join = (one: Chunk, other: Chunk): Chunk => {
  for (const [workspaceId, bytes] of other.of) one.of.set(workspaceId, (one.of.get(workspaceId) ?? 0) + bytes)
  return { until: other.until, bytes: one.bytes + other.bytes, of: one.of }
}

/**
 * Creates the count of the unprocessed bytes of each workspace. A workspace can have up to the current `limit()`. Only
 * requests that this process accepted are counted, not those of other processes or of an earlier process.
 */
export const createQuota = (limit: () => number, entriesAtMost = maxEntries): Quota => {
  const waiting = new Map<string, number>()
  /**
   * Chunks by partition, in log order. The last chunk grows until a report of positions arrives or the chunk is full.
   */
  const chunks = new Map<number, Chunk[]>()
  const open = new Set<number>()
  let entries = 0

  const lower = (workspaceId: string, bytes: number): void => {
    const left = (waiting.get(workspaceId) ?? 0) - bytes
    if (left > 0) waiting.set(workspaceId, left)
    else waiting.delete(workspaceId)
  }
  const compact = (): void => {
    entries = 0
    for (const [partition, list] of chunks) {
      const joined: Chunk[] = []
      for (let at = 0; at < list.length; at += 2) {
        const [one, other] = [list[at], list[at + 1]]
        if (one !== undefined) joined.push(other === undefined ? one : join(one, other))
      }
      chunks.set(partition, joined)
      for (const { of } of joined) entries += of.size
    }
  }
  const chunkOf = (partition: number): Chunk => {
    const list = chunks.get(partition) ?? []
    const last = list.at(-1)
    if (last !== undefined && open.has(partition) && last.bytes < chunkBytes) return last
    const made = { until: 0, bytes: 0, of: new Map<string, number>() }
    if (list.push(made) === 1) chunks.set(partition, list)
    open.add(partition)
    return made
  }
  return {
    reserve(workspaceId, bytes) {
      const now = waiting.get(workspaceId) ?? 0
      if (now >= limit()) return false
      waiting.set(workspaceId, now + bytes)
      return true
    },
    placed(workspaceId, bytes, { partition, offset }) {
      const chunk = chunkOf(partition)
      const known = chunk.of.get(workspaceId)
      chunk.of.set(workspaceId, (known ?? 0) + bytes)
      chunk.bytes += bytes
      chunk.until = Math.max(chunk.until, offset + 1)
      if (known === undefined && ++entries > entriesAtMost) compact()
    },
    release: lower,
    isFull: (workspaceId) => (waiting.get(workspaceId) ?? 0) >= limit(),
    processed(positions) {
      if (!Array.isArray(positions)) return
      open.clear()
      for (const [partition, list] of chunks) {
        const position: unknown = positions[partition]
        if (typeof position !== 'number') continue
        let done = 0
        for (const { until, of } of list) {
          if (until > position) break
          done++
          entries -= of.size
          for (const [workspaceId, bytes] of of) lower(workspaceId, bytes)
        }
        if (done === list.length) chunks.delete(partition)
        else if (done > 0) list.splice(0, done)
      }
    },
  }
}

/** A request that waits. It goes on in steps that yield to other work, or it is sent away. */
type Waiter = { goOn(): Generator<void, void>; sendAway(): void }
type Waiting = Waiter & { workspaceId: string; cost: number; since: number }

export type Admission = {
  /**
   * Whether a request with this many bytes may go on now. If not, call `wait` with it. A workspace that needs less than
   * an equal share of the pace does not wait for the others.
   */
  admits(workspaceId: string, bytes: number): boolean
  /**
   * Continues a request in its turn: workspaces take turns by bytes, and the requests of a workspace keep their order.
   * Sends it away if that takes too long or if too much waits.
   */
  wait(workspaceId: string, bytes: number, waiter: Waiter): void
  /** Continues everything that waits, and holds nothing from now on. */
  close(): void
}

/** How often the pace is set, and how often waiting requests continue, in ms. */
const paceMs = 100
const releaseMs = 5
/** Maximum wait of a request, in ms. SDKs wait at least three times as long for a response. */
const patienceMs = 2000
/** Maximum number and cost of waiting requests, of one workspace and of all workspaces. */
const maxWaiting = {
  ofOne: { requests: 5000, cost: 8 * 1024 * 1024 },
  ofAll: { requests: 20_000, cost: 32 * 1024 * 1024 },
}
/** Cost of a request in addition to its bytes. */
const requestCost = 512
/** Part of its time that a thread waits for a processor, above which it lacks processor time. */
const lacking = 0.4
/** Acceptance keeps this part of the rate that it had before it was slowed, and at least some hundred requests a second. */
const keptPart = 0.2
const minPace = 1000
/** The pace is no longer limited when nothing had to wait for this many settings of the pace. */
const calmRounds = 10
/** The timers end when no request came for this many settings of the pace. */
const quietRounds = 20
/** Cost that a workspace may spend in a turn, and maximum cost of one round of the event loop. */
const turnCost = 16 * 1024
const roundCost = 256 * 1024
/** Maximum debt after a large request, in ms of the pace. */
const debtMs = 100

type Pace = { limit: number; floor: number; rate: number; shortRounds: number; calmRounds: number }

const unlimited: Pace = { limit: Number.POSITIVE_INFINITY, floor: 0, rate: 0, shortRounds: 0, calmRounds: 0 }

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
      ? { ...now, calmRounds: 0, limit: Math.max(pace.floor, pace.limit * 0.95) }
      : {
          ...now,
          calmRounds: 0,
          limit: Math.max(minPace, mean * 0.9),
          floor: Math.max(minPace, mean * keptPart),
        }
  if (!isLimited || now.shortRounds > 0) return now
  const calm = held === 0 ? pace.calmRounds + 1 : 0
  if (calm >= calmRounds) return { ...unlimited, rate: mean }
  return { ...now, calmRounds: calm, limit: Math.max(pace.limit, Math.min(pace.limit * 1.05, mean * 1.5)) }
}

/** The waiting requests of a workspace, and the cost that its next turn may have. */
type Queue = { requests: Waiting[]; cost: number; turn: number }

/** The waiting requests. Workspaces take turns by cost. */
const createWaiting = () => {
  const queues = new Map<string, Queue>()
  let [requests, cost] = [0, 0]
  const remove = (workspaceId: string, queue: Queue, waiting: Waiting | undefined): Waiting | undefined => {
    if (waiting === undefined) return undefined
    requests--
    cost -= waiting.cost
    queue.cost -= waiting.cost
    if (queue.requests.length === 0) queues.delete(workspaceId)
    return waiting
  }
  return {
    has: (workspaceId: string): boolean => queues.has(workspaceId),
    isEmpty: (): boolean => requests === 0,
    /** Adds a request. Returns the request to send away if too much waits: the newest one of who has most waiting. */
    add(workspaceId: string, waiting: Waiting): Waiting | undefined {
      const queue = queues.get(workspaceId) ?? { requests: [], cost: 0, turn: 0 }
      const { ofOne, ofAll } = maxWaiting
      if (queue.requests.length >= ofOne.requests || queue.cost >= ofOne.cost) return waiting
      queues.set(workspaceId, queue)
      queue.requests.push(waiting)
      queue.cost += waiting.cost
      requests++
      cost += waiting.cost
      if (requests <= ofAll.requests && cost <= ofAll.cost) return undefined
      const [first, ...others] = queues
      const largest = first && others.reduce((most, each) => (each[1].cost > most[1].cost ? each : most), first)
      return largest && remove(...largest, largest[1].requests.pop())
    },
    /** Removes the next request: the first one of the workspace whose turn it is. */
    next(): Waiting | undefined {
      for (const [workspaceId, queue] of queues) {
        const [first] = queue.requests
        if (first !== undefined && queue.turn > 0) {
          queue.turn -= first.cost
          return remove(workspaceId, queue, queue.requests.shift())
        }
        // Its turn is over: it has the next one after the others.
        queue.turn += turnCost
        queues.delete(workspaceId)
        queues.set(workspaceId, queue)
      }
      return undefined
    },
    /** Removes the requests that came before a time. */
    before(time: number): Waiting[] {
      const old: Waiting[] = []
      for (const [workspaceId, queue] of queues)
        while ((queue.requests[0]?.since ?? Number.POSITIVE_INFINITY) < time)
          old.push(...[remove(workspaceId, queue, queue.requests.shift())].filter((each) => each !== undefined))
      return old
    },
  }
}

/** An equal share of the pace for each workspace that sends requests now. What they leave is given in turns. */
const createShares = () => {
  type Share = { credit: number; at: number }
  let [shares, before] = [new Map<string, Share>(), new Map<string, Share>()]
  const shareOf = (workspaceId: string, limit: number, time: number): Share => {
    const found = shares.get(workspaceId) ?? before.get(workspaceId)
    const perMs = limit / Math.max(1, shares.size, before.size)
    const most = perMs * releaseMs * 4
    const credit = found === undefined ? most : Math.min(found.credit + (time - found.at) * perMs, most)
    const share = { credit, at: time }
    shares.set(workspaceId, share)
    return share
  }
  return {
    /** Whether a workspace stays within its share with this cost. */
    has: (workspaceId: string, cost: number, limit: number, time: number): boolean =>
      shareOf(workspaceId, limit, time).credit >= cost,
    spend(workspaceId: string, cost: number, limit: number, time: number): void {
      const share = shareOf(workspaceId, limit, time)
      share.credit = Math.max(share.credit - cost, 0)
    },
    /** Forgets workspaces that sent nothing since the call before. */
    renew(): void {
      ;[shares, before] = [new Map(), shares]
    },
  }
}

/**
 * Creates the admission of accepted requests. While threads that handle accepted events lack processor time, requests
 * wait a moment. So events are not accepted faster than they are delivered. The `shortage` is the part of the time
 * since its last call that such a thread waited for a processor with work left, from 0 to 1.
 */
export const createAdmission = (
  shortage: () => number,
  logger: Pick<Logger, 'error'>,
  now = (): number => performance.now(),
): Admission => {
  const waiting = createWaiting()
  const shares = createShares()
  let pace = unlimited
  let [credit, creditAt] = [0, 0]
  let [admitted, held, setAt, quiet] = [0, 0, 0, 0]
  let setting: NodeJS.Timeout | undefined
  let releasing: NodeJS.Timeout | undefined
  /** The requests that continue in this and in later rounds of the event loop. */
  let steps: Generator<void, void> | undefined
  let isClosed = false

  const isLimited = (): boolean => !isClosed && pace.limit !== Number.POSITIVE_INFINITY
  const spend = (workspaceId: string, cost: number): void => {
    admitted += cost
    if (!isLimited()) return
    credit = Math.max(credit - cost, -pace.limit * debtMs)
    shares.spend(workspaceId, cost, pace.limit, now())
  }
  const refill = (): boolean => {
    const time = now()
    credit = Math.min(credit + (time - creditAt) * pace.limit, pace.limit * releaseMs * 4)
    creditAt = time
    return credit > 0
  }
  /** Continues requests that may go on, for one round of the event loop at a time. */
  function* going(): Generator<void, void> {
    for (let spent = 0; !isLimited() || refill(); ) {
      const waiter = waiting.next()
      if (waiter === undefined) return
      spend(waiter.workspaceId, waiter.cost)
      try {
        yield* waiter.goOn()
      } catch (error) {
        logger.error({ err: error }, 'collection request failed after its wait')
        waiter.sendAway()
      }
      spent += waiter.cost
      if (spent < roundCost) continue
      spent = 0
      yield
    }
  }
  const step = (): void => {
    if (steps === undefined) return
    if (steps.next().done === true) steps = undefined
    else setImmediate(step)
  }
  const release = (): void => {
    for (const { sendAway } of waiting.before(now() - patienceMs)) sendAway()
    if (steps !== undefined) return
    steps = going()
    step()
    if (!waiting.isEmpty()) return
    clearInterval(releasing)
    releasing = undefined
  }
  const set = (): void => {
    const time = now()
    const rate = admitted / Math.max(1, time - setAt)
    quiet = admitted === 0 && waiting.isEmpty() ? quiet + 1 : 0
    if (!isLimited()) [credit, creditAt] = [0, time]
    pace = nextPace(pace, shortage(), rate, held)
    shares.renew()
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
      const cost = bytes + requestCost
      // A workspace with waiting requests waits, so that its requests keep their order.
      if (waiting.has(workspaceId)) return false
      const goesOn = !isLimited() || (waiting.isEmpty() && refill()) || shares.has(workspaceId, cost, pace.limit, now())
      if (!goesOn) return false
      spend(workspaceId, cost)
      return true
    },
    wait(workspaceId, bytes, waiter) {
      held++
      waiting.add(workspaceId, { ...waiter, workspaceId, cost: bytes + requestCost, since: now() })?.sendAway()
      releasing ??= setInterval(release, releaseMs)
    },
    close() {
      isClosed = true
      clearInterval(setting)
      clearInterval(releasing)
      steps ??= going()
      while (steps.next().done !== true);
      steps = undefined
    },
  }
}
