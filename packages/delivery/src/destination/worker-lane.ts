import type { Batching } from '@tributary/connector-kit'
import { type Lane, shareOf } from '../log/record.ts'
import { type Item, memoryOf } from '../parking/in-flight-record.ts'
import type { KeyOrder } from '../parking/key-order.ts'
import type { Intake } from '../parking/parking-context.ts'
import { createProfileLook, noProfileUse } from '../parking/profile-look.ts'
import { createRetryQueue, type WorkerRows } from '../parking/retry-queue.ts'
import { createRetrySource, type RetrySource } from '../parking/retry-source.ts'
import { createSpilledRanges, type SpilledRanges } from '../parking/spilled-ranges.ts'
import type { WorkerState } from './circuit-breaker.ts'
import { createOutcomes, type Outcomes } from './outcomes.ts'
import type { Ready } from './readiness.ts'
import { createRecordConsumer, type RecordConsumer } from './record-consumer.ts'
import type { WorkerContext } from './worker-context.ts'

/**
 * The events of one worker in order, grouped by action, because a batch has events of one action. Their bytes, with
 * those of their profiles, also count towards the limit that all workers share.
 */
export type BatchQueue = {
  length(): number
  bytes(): number
  /** Returns the queued item that entered first. */
  oldest(): Item | undefined
  add(items: readonly Item[]): void
  /** Puts batches before all others. These batches will leave the queue unchanged. */
  putFirst(batches: readonly (readonly Item[])[]): void
  /**
   * Takes a batch: at least one event, at most what `batching` allows. If no batch is full or has waited long enough,
   * returns the ms until one has. With `inOrder`, no item overtakes an earlier one, even of another action.
   */
  next(batching: Batching, now: number, inOrder: boolean): readonly Item[] | number
  /** Returns all items without taking them. */
  items(): readonly Item[]
  /** Removes and returns all items. */
  clear(): readonly Item[]
}

/**
 * Maximum number of taken items that stay at the front of the array. Removing fewer items, by moving all others, costs
 * more than it saves.
 */
const maxLeft = 32

/** The events of one action. */
const createRow = () => {
  let items: Item[] = []
  let head = 0
  let bytes = 0
  return {
    length: () => items.length - head,
    bytes: () => bytes,
    first: (): Item | undefined => items[head],
    push: (item: Item): void => {
      items.push(item)
      bytes += item.bytes
    },
    /**
     * Takes items from the front that entered before the item number `before`. Takes at least one item, and at most
     * `maxEvents` events and `maxBytes` bytes.
     */
    shift: (maxEvents: number, maxBytes: number, before: number): Item[] => {
      const start = head
      let sum = 0
      for (let item = items[head]; item !== undefined && head - start < maxEvents; item = items[head]) {
        if (head > start && (sum + item.bytes > maxBytes || item.entry > before)) break
        sum += item.bytes
        head++
      }
      bytes -= sum
      const batch = items.slice(start, head)
      // Taken items must be released early. Otherwise they would outlive two collections of young objects.
      if (head === items.length || head >= maxLeft) {
        items = items.slice(head)
        head = 0
      }
      return batch
    },
    items: (): Item[] => items.slice(head),
  }
}
type Row = ReturnType<typeof createRow>

const bytesOf = (items: readonly Item[]): number => items.reduce((sum, item) => sum + memoryOf(item), 0)
const entryOf = (row: Row): number => row.first()?.entry ?? Number.POSITIVE_INFINITY

/** Creates an empty queue. */
export const createBatchQueue = (shared: { bytes: number }): BatchQueue => {
  let rows = new Map<string, Row>()
  let first: (readonly Item[])[] = []
  let length = 0
  let bytes = 0
  let entries = 0

  const count = (events: number, size: number): void => {
    length += events
    bytes += size
    shared.bytes += size
  }
  const left = (batch: readonly Item[]): readonly Item[] => {
    count(-batch.length, -bytesOf(batch))
    return batch
  }
  /** Rows in the order of their first event. */
  const inTurn = (): Row[] => {
    const waiting = [...rows.values()].filter((row) => row.length() > 0)
    return waiting.length < 2 ? waiting : waiting.toSorted((a, b) => entryOf(a) - entryOf(b))
  }
  const items = (): Item[] => [...first.flat(), ...[...rows.values()].flatMap((row) => row.items())]

  return {
    length: () => length,
    bytes: () => bytes,
    oldest: () => first[0]?.[0] ?? inTurn()[0]?.first(),
    add: (added) => {
      for (const item of added) {
        const { action } = item.event
        const row = rows.get(action) ?? createRow()
        rows.set(action, row)
        item.entry = entries++
        row.push(item)
      }
      count(added.length, bytesOf(added))
    },
    putFirst: (batches) => {
      first = [...batches, ...first]
      for (const batch of batches) count(batch.length, bytesOf(batch))
    },
    next: ({ maxEvents, maxBytes, maxWaitMs }, now, inOrder) => {
      const ready = first.shift()
      if (ready !== undefined) return left(ready)
      const turn = inTurn()
      const [oldest, second] = turn
      if (oldest === undefined) return Number.POSITIVE_INFINITY
      const before = inOrder && second !== undefined ? entryOf(second) : Number.POSITIVE_INFINITY
      const maxLength = Math.max(1, maxEvents)
      let wait = Number.POSITIVE_INFINITY
      for (const row of inOrder ? [oldest] : turn) {
        const waited = now - (row.first()?.since ?? now)
        // If order matters, the next item of another action ends the batch, so the batch cannot grow.
        const full = row.length() >= maxLength || row.bytes() >= maxBytes || Number.isFinite(before)
        if (maxLength === 1 || full || waited >= maxWaitMs) return left(row.shift(maxLength, maxBytes, before))
        wait = Math.min(wait, maxWaitMs - waited)
      }
      return wait
    },
    items,
    clear: () => {
      const all = items()
      rows = new Map()
      first = []
      return left(all)
    },
  }
}

/** Retried events have already waited once, so they wait for a batch only this long, ms. */
const retriedWaitMs = 1000

/**
 * Decides when a worker reads its held records. A worker whose batches fill quickly always reads. A worker whose
 * batches wait for minutes (objects of a storage) holds everything by reference. It reads when there is enough for a
 * whole batch, or when the first record has waited long enough. Then everything held at that moment is sent.
 */
const createCollecting = (deps: {
  context: Pick<WorkerContext, 'clock' | 'settings' | 'queued'>
  lane: Lane
  spilled: SpilledRanges
  queue: BatchQueue
  ready: () => Ready | undefined
  state: () => WorkerState
}) => {
  const { spilled, queue, ready, state } = deps
  const { clock, settings, queued } = deps.context
  /** Records up to this time are sent now, and wait for no more records. */
  let flushUntil: number | undefined

  const active = (): boolean => (ready()?.batching.maxWaitMs ?? 0) > settings.collectMs

  /** Whether some of the records that should be sent are not read yet. */
  const flushing = (): boolean => {
    const next = spilled.next()
    return flushUntil !== undefined && next !== undefined && next.firstTime <= flushUntil
  }

  /** Whether the waiting events suffice for a whole batch, queued and unread events together. */
  const enough = ({ maxEvents, maxBytes }: Batching): boolean => {
    let [events, bytes] = [queue.length(), queue.bytes()]
    for (const range of spilled.all()) {
      events += range.unreadEvents
      bytes += range.unreadBytes
    }
    return events >= maxEvents || bytes >= maxBytes
  }

  return {
    /** Whether batches wait so long that their events are held as a range of the log, not in memory. */
    active,
    /** Whether held records should be read now. */
    due: (): boolean => {
      const batching = ready()?.batching
      if (batching === undefined || !active() || state() === 'probing' || flushing()) return true
      if (queue.length() === 0) flushUntil = undefined
      const next = spilled.next()
      if (next === undefined) return false
      const now = clock()
      if (now - next.firstTime >= batching.maxWaitMs) flushUntil = now
      return flushUntil === now || enough(batching)
    },
    /** Returns the batching that applies to the queue now. */
    batching: ({ batching }: Ready): Batching => {
      if (!active()) return batching
      // If memory does not allow more events, the queue is sent as it is.
      const complete = flushUntil !== undefined && !flushing()
      if (state() === 'probing' || complete || queued.bytes >= settings.totalBytes * shareOf[deps.lane])
        return { ...batching, maxWaitMs: 0 }
      const retried = queue.oldest()?.inFlight.row !== undefined
      return retried ? { ...batching, maxWaitMs: Math.min(batching.maxWaitMs, retriedWaitMs) } : batching
    },
    /** Returns the maximum number of events and bytes in the queue. */
    bounds: (): { events: number; bytes: number } => {
      const { queueEvents, queueBytes, totalBytes } = settings
      const batching = ready()?.batching
      if (batching === undefined || batching.maxEvents <= 1) return { events: queueEvents, bytes: queueBytes }
      const { maxEvents, maxBytes } = batching
      return {
        // If more events were read than a batch takes, the rest would be sent as a small batch of its own.
        events: active() ? maxEvents : Math.max(queueEvents, 2 * maxEvents),
        bytes: Math.max(queueBytes, Math.min(maxBytes, totalBytes / 4)),
      }
    },
  }
}

/** One of the two lanes of a worker. Each has its own queue, ranges, and rows, so that neither blocks the other. */
export type WorkerLane = {
  readonly lane: Lane
  readonly spilled: SpilledRanges
  readonly rows: WorkerRows
  readonly queue: BatchQueue
  readonly outcomes: Outcomes
  readonly consume: RecordConsumer
  readonly source: RetrySource
  /** Whether a new record of the log may enter the queue directly. */
  mayTake(partition: number): boolean
  /** Fills the queue with held deliveries, if it has capacity. */
  fill(): void
  /** Takes the next batch, or returns the ms until one may be sent. */
  nextBatch(ready: Ready): readonly Item[] | number
  /** Whether no request may start, because too many outcomes are not durable yet. */
  isHeldUp(): boolean
  /** Whether items are queued or wait to be checked. */
  isWaiting(): boolean
  /** Whether deliveries of the lane wait in memory, in ranges, or in rows. */
  hasAny(): boolean
  /** Requeues the queued items, and the given items, which waited for other changes of their record. */
  requeue(held: readonly Item[]): void
  /** Whether the items in memory can be parked. False for a lane whose items come from durable ranges and rows. */
  mayUnload(): boolean
  /** Whether the first item has waited so long that the items should be parked. */
  crawls(): boolean
}

type WorkerLaneDeps = {
  id: string
  lane: Lane
  context: WorkerContext
  keyOrder: KeyOrder
  ready: () => Ready | undefined
  /** State of the worker. */
  state: () => WorkerState
  /** Which parked deliveries the lane may take; none while the other lane has the turn. */
  intake: () => Intake
  sends: () => boolean
  ordered: () => boolean
  /** Whether items of the worker are queued or in flight. */
  busy: () => boolean
  /** Items in flight of both lanes. */
  inFlight: () => readonly Item[]
  wake: () => void
}

/** Capacity of a lane. */
const createRoom = (
  { lane, context, keyOrder }: WorkerLaneDeps,
  queue: BatchQueue,
  rows: WorkerRows,
  bounds: () => { events: number; bytes: number },
) => {
  const { settings, queued } = context
  const totalBytes = settings.totalBytes * shareOf[lane]
  const isLogFull = (): boolean => context.attempts.full(shareOf[lane])
  const isBelow = (times: number): boolean => {
    const { events, bytes } = bounds()
    return (
      queue.length() + keyOrder.held(lane) < times * events &&
      queue.bytes() < times * bytes &&
      queued.bytes < times * totalBytes &&
      !isLogFull()
    )
  }
  return {
    isLogFull,
    hasCapacity: (): boolean =>
      isBelow(1) && keyOrder.size(lane) < settings.openChanges && rows.unparked < settings.unparked,
    /** Parked rows may exceed the limit of the queue once, so that spilled ranges cannot block them. */
    hasRowCapacity: (): boolean => isBelow(2),
  }
}

/** Creates an empty lane of a worker. */
export const createWorkerLane = (deps: WorkerLaneDeps): WorkerLane => {
  const { id, lane, context, keyOrder, ready, ordered } = deps
  const { clock, settings } = context
  const spilled = createSpilledRanges(lane, (partition) => context.owned.has(partition))
  const queue = createBatchQueue(context.queued)
  const retries = createRetryQueue(id, context, keyOrder)
  const { rows } = retries
  const outcomes = createOutcomes(id, context, retries, keyOrder)
  const collecting = createCollecting({ context, lane, spilled, queue, ready, state: deps.state })
  const { isLogFull, hasCapacity, hasRowCapacity } = createRoom(deps, queue, rows, collecting.bounds)

  const consume = createRecordConsumer({ ...deps, outcomes, queue, order: keyOrder })
  const profiles = createProfileLook(context, () => ready()?.gate ?? noProfileUse)
  const isWaiting = (): boolean => queue.length() > 0 || consume.pending() > 0

  const source = createRetrySource({
    ...deps,
    spilled,
    retries,
    profiles,
    hasCapacity: () => hasCapacity() && consume.free(),
    hasRowCapacity: () => hasRowCapacity() && consume.free(),
    rangesDue: collecting.due,
    consume,
    state: deps.intake,
    isLaneBusy: () => isWaiting() || deps.inFlight().some(({ inFlight }) => inFlight.lane === lane),
  })

  return {
    lane,
    spilled,
    rows,
    queue,
    outcomes,
    consume,
    source,
    mayTake: (partition) =>
      (ordered() ? source.upToDate() : !spilled.lags(partition)) &&
      !collecting.active() &&
      // Events whose profile is needed wait in the log until it is known.
      !profiles.isNeeded() &&
      hasCapacity() &&
      consume.free(),
    fill: () => {
      // The usual case, checked for each request: nothing is held. An ordered lane must look up whether a row waits.
      if (!ordered() && rows.waiting === 0 && rows.nextDue === Number.POSITIVE_INFINITY && spilled.all().length === 0)
        return
      if (collecting.active() || queue.length() < collecting.bounds().events / 2) source.fill()
    },
    nextBatch: (of) => {
      const { bucket, ordered: inOrder } = of
      const now = clock()
      const wait = bucket?.wait(now, lane) ?? 0
      // If the queue has no capacity, the batch cannot grow, so it is sent as it is.
      const batching = hasCapacity() ? collecting.batching(of) : { ...of.batching, maxWaitMs: 0 }
      const next = wait > 0 ? wait : queue.next(batching, now, inOrder)
      if (typeof next !== 'number') bucket?.take(now)
      return next
    },
    isHeldUp: () => isLogFull() || rows.unparked >= settings.unparked,
    isWaiting,
    hasAny: () => isWaiting() || rows.waiting > 0 || spilled.next() !== undefined,
    requeue: (held) => {
      outcomes.requeue([...queue.clear(), ...held], clock())
      consume.requeue()
      source.settleFirst()
    },
    // A collecting lane reads from ranges and rows, which are durable.
    mayUnload: () => !collecting.active(),
    crawls: () => {
      const oldest = queue.oldest()
      const patience = settings.crawlMs + (ready()?.batching.maxWaitMs ?? 0)
      return oldest !== undefined && oldest.inFlight.row === undefined && clock() - oldest.since >= patience
    },
  }
}
