import { type Lane, shareOf } from '../log/record.ts'
import type { Item } from '../parking/in-flight-record.ts'
import type { KeyOrder } from '../parking/key-order.ts'
import type { Intake } from '../parking/parking-context.ts'
import { createProfileLook, noProfileUse } from '../parking/profile-look.ts'
import { createRetryQueue, type WorkerRows } from '../parking/retry-queue.ts'
import { createRetrySource, type RetrySource } from '../parking/retry-source.ts'
import { createSpilledRanges, type SpilledRanges } from '../parking/spilled-ranges.ts'
import { type BatchQueue, createBatchQueue } from './batch-queue.ts'
import type { WorkerState } from './circuit-breaker.ts'
import { type Collecting, createCollecting } from './collecting.ts'
import { createOutcomes, type Outcomes } from './outcomes.ts'
import type { Ready } from './readiness.ts'
import { createRecordConsumer, type RecordConsumer } from './record-consumer.ts'
import type { WorkerContext } from './worker-context.ts'

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
  collecting: Collecting,
) => {
  const { settings } = context
  const totalBytes = settings.totalBytes * shareOf[lane]
  const isLogFull = (): boolean => context.attempts.full(shareOf[lane])
  return {
    isLogFull,
    hasCapacity: (): boolean => {
      const bounds = collecting.bounds()
      return (
        queue.length() + keyOrder.held(lane) < bounds.events &&
        keyOrder.size(lane) < settings.openChanges &&
        queue.bytes() < bounds.bytes &&
        context.queued.bytes < totalBytes &&
        rows.unparked < settings.unparked &&
        !isLogFull()
      )
    },
    /** Parked rows may exceed the limit of the queue once, so that spilled ranges cannot block them. */
    hasRowCapacity: (): boolean => {
      const bounds = collecting.bounds()
      return (
        queue.length() + keyOrder.held(lane) < 2 * bounds.events &&
        queue.bytes() < 2 * bounds.bytes &&
        context.queued.bytes < 2 * totalBytes &&
        !isLogFull()
      )
    },
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
  const { isLogFull, hasCapacity, hasRowCapacity } = createRoom(deps, queue, rows, collecting)

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
