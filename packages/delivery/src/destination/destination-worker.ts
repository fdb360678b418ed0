import {
  type DeliveryRecord,
  type Lane,
  lanes as laneNames,
  type OffsetTracker,
  type OpenOffset,
  ofLanes,
} from '../log/record.ts'
import { createDeadLettering } from '../parking/dead-letters.ts'
import type { Item } from '../parking/in-flight-record.ts'
import { createKeyOrder, type KeyOrder } from '../parking/key-order.ts'
import type { Intake } from '../parking/parking-context.ts'
import { type RangeChange, rangeChange } from '../parking/range-change.ts'
import type { WorkerRows } from '../parking/retry-queue.ts'
import type { SpilledRanges } from '../parking/spilled-ranges.ts'
import { createCircuitBreaker, type WorkerState } from './circuit-breaker.ts'
import { createReadiness } from './readiness.ts'
import { createAnswers, createDispatcher, createSending } from './sending.ts'
import type { WorkerContext } from './worker-context.ts'
import { createWorkerLane, type WorkerLane } from './worker-lane.ts'

export type WorkerSnapshot = {
  destinationId: string
  state: WorkerState
  /** The reason why the worker is not flowing. */
  reason: string
  queued: number
  inFlight: number
  /** Events held as ranges of the log. */
  heldEvents: number
  /** Parked rows that wait for a retry. */
  waitingRows: number
}

/** The held deliveries of a lane: ranges of the log, and rows. */
export type HeldOfLane = { readonly lane: Lane; readonly spilled: SpilledRanges; readonly rows: WorkerRows }

export type DestinationWorker = {
  readonly id: string
  /**
   * Offers a record of the log that names this destination. The record is queued, or held by reference. Never waits.
   */
  offer(record: DeliveryRecord, entry: OpenOffset, tracker: OffsetTracker): void
  /** Ends a rest early, because the destination is expected to work again. The next tick probes with due deliveries. */
  endRest(): void
  /** Requeues all items in memory, if some belong to these partitions. */
  requeue(partitions: ReadonlySet<number>): void
  /** Whether items of these partitions are queued or in flight. */
  isBusy(partitions: ReadonlySet<number>): boolean
  /** Applies changes of the configuration cache and the clock, and starts the requests that may start. */
  tick(): void
  /** Returns the changes of the spilled ranges to write; with `all`, also those of the youngest ranges. */
  ranges(all: boolean): RangeChange
  /** The held deliveries of each lane. */
  readonly held: Readonly<Record<Lane, HeldOfLane>>
  readonly lanes: readonly HeldOfLane[]
  /** Open changes of producers at this destination. */
  readonly keyOrder: KeyOrder
  /** Whether nothing is queued or in flight, and nothing could be sent now. */
  idle(): boolean
  /** Whether the destination is deleted and no delivery for it is left. */
  over(): boolean
  /** Starts no more requests, and drops the queue, whose events stay in the log. */
  halt(): void
  /** Closes the resources of its connector. */
  end(): Promise<void>
  snapshot(): WorkerSnapshot
}

/**
 * The worker of one destination: its lanes, requests, circuit, and held deliveries. Workers share only bounded budgets,
 * so a dead or hanging destination does not delay others. The lane of replays and syncs sends when the live lane
 * cannot, and never uses the last free request.
 */
export const createDestinationWorker = (id: string, context: WorkerContext): DestinationWorker => {
  const { clock, settings, metrics } = context
  let missingSince: number | undefined
  let halted = false
  /** Version of the deleted users at the last check; undefined before the first check. */
  let forgottenVersion: string | undefined
  const readiness = createReadiness(context)
  const ordered = (): boolean => readiness.ready()?.ordered === true
  // In an ordered destination, all changes are in order, so the changes of a key need no order of their own.
  const keyOrder = createKeyOrder(context.queued, () => !ordered())
  const breaker = createCircuitBreaker(id, context, {
    recovered: () => {
      for (const { source } of lanes) source.makeDue()
    },
    stopped: () => requeue(),
  })
  const { state } = breaker
  const sends = (): boolean => !halted && (state() === 'flowing' || state() === 'probing')
  /** Probes begin with the live lane. */
  const intakeOf = (lane: Lane): Intake => {
    const now = state()
    if (halted || (now !== 'flowing' && now !== 'probing')) return 'stopped'
    return lane === 'bulk' && now === 'probing' && byLane.live.hasAny() ? 'stopped' : now
  }
  const byLane: Readonly<Record<Lane, WorkerLane>> = ofLanes((lane) =>
    createWorkerLane({
      id,
      lane,
      context,
      keyOrder,
      ready: readiness.ready,
      state,
      intake: () => intakeOf(lane),
      sends,
      ordered,
      busy: (): boolean => dispatcher.inFlight() > 0 || lanes.some((each) => each.isWaiting()),
      inFlight: () => dispatcher.items(),
      wake: () => sending.pump(),
    }),
  )
  const lanes: readonly WorkerLane[] = laneNames.map((lane) => byLane[lane])
  const isHalted = (): boolean => halted
  const wake = (): void => sending.pump()
  const answers = createAnswers({ lanes: byLane, breaker, ordered, sends, isHalted, clock, metrics, wake })
  const dispatcher = createDispatcher(id, context, answers)
  const sending = createSending({ lanes: byLane, keyOrder, breaker, readiness, dispatcher, isHalted, clock })
  const deadLettering = createDeadLettering(
    id,
    lanes.map(({ rows }) => rows),
    context,
    keyOrder,
  )

  /** Requeues all queued items. */
  const requeue = (): void => {
    const held = keyOrder.clearHeld()
    for (const lane of lanes) lane.requeue(held.filter(({ inFlight }) => inFlight.lane === lane.lane))
  }

  /** Returns the items in memory. Items in flight come first. */
  const inMemory = (): readonly Item[] => [
    ...dispatcher.items(),
    ...lanes.flatMap(({ queue }) => queue.items()),
    ...keyOrder.heldItems(),
  ]

  const isBusy = (partitions: ReadonlySet<number>): boolean =>
    inMemory().some(({ inFlight }) => partitions.has(inFlight.record.partition)) ||
    lanes.some(
      ({ consume, rows, spilled }) =>
        consume.has(partitions) ||
        [...rows.taken.values()].some((partition) => partitions.has(partition)) ||
        spilled.all().some((range) => partitions.has(range.partition) && range.tracker.size() > 0),
    )

  /** Whether a user of the workspace was deleted since the last check. */
  const noticesDeletion = (workspaceId: string): boolean => {
    const version = context.forgotten.version(workspaceId)
    const isNew = forgottenVersion !== undefined && forgottenVersion !== version
    forgottenVersion = version
    return isNew
  }

  const refresh = (): void => {
    const entry = context.destinationCache.get(id)
    if (entry === undefined) {
      missingSince ??= clock()
      if (clock() - missingSince >= settings.unknownGraceMs) breaker.note('removed', 'The destination was deleted')
      else if (state() !== 'gone') breaker.note('halted', 'The destination is not known')
      return
    }
    missingSince = undefined
    const before = readiness.ready()
    const { problem } = readiness.look(entry)
    // Requeues items that were checked by an earlier version of the gate, or that overtook items which are ordered now.
    const deletes = noticesDeletion(entry.workspaceId)
    if (deletes) for (const { outcomes } of lanes) outcomes.noteForgotten(inMemory(), clock())
    if (deletes || before?.gate !== readiness.ready()?.gate) requeue()
    if (!entry.enabled) breaker.note('halted', 'The destination is disabled')
    else if (problem !== '') breaker.note('halted', problem)
    else breaker.note('usable', '')
  }

  /**
   * Parks the items of a hanging or slow destination. It then uses only its own memory, and the shared position can
   * advance.
   */
  const unload = (): void => {
    const hangs = dispatcher.hangs(settings.stallMs)
    const unloaded = lanes.filter((lane) => lane.mayUnload() && (hangs || lane.crawls()))
    if (unloaded.length === 0) return
    dispatcher.forgive()
    const items = inMemory()
    for (const { lane, outcomes } of unloaded)
      outcomes.takeOver(
        items.filter(({ inFlight }) => inFlight.lane === lane),
        clock(),
      )
  }

  refresh()
  return {
    id,
    held: byLane,
    lanes,
    keyOrder,
    offer: (record, entry, tracker) => {
      const { partition, offset, time, bytes, lane: comesIn, meta } = record.reference
      // A range may belong to another lane than the one in which its records arrived.
      if (lanes.some(({ spilled }) => spilled.covers(partition, offset, comesIn))) return
      const lane = byLane[comesIn]
      if (state() === 'flowing' && !halted && lane.mayTake(partition)) {
        entry.open++
        lane.consume(record, undefined, () => tracker.release(entry))
        sending.pump()
        return
      }
      const of = {
        workspaceId: meta.workspaceId,
        sourceId: meta.sourceId,
        needsReport: meta.producer !== undefined,
        events: meta.count,
      }
      lane.spilled.add({ partition, offset, time, bytes, ...of }, clock())
    },
    requeue: (partitions) => {
      if (isBusy(partitions)) requeue()
      for (const { rows } of lanes) {
        rows.version++
        rows.handovers++
      }
    },
    isBusy,
    endRest: breaker.endRest,
    tick: () => {
      if (halted) return
      refresh()
      breaker.tick()
      if (state() === 'gone') deadLettering.deadLetterAll()
      unload()
      sending.pump()
    },
    ranges: (all) => {
      const changes = lanes.map(({ lane, spilled }) =>
        rangeChange({ id, lane, spilled, settings, metrics, now: clock(), all, gone: state() === 'gone' }),
      )
      return {
        change: {
          deletes: changes.flatMap(({ change }) => change.deletes),
          rows: changes.flatMap(({ change }) => change.rows),
        },
        apply: () => {
          for (const { apply } of changes) apply()
        },
      }
    },
    idle: () =>
      dispatcher.inFlight() === 0 &&
      !deadLettering.underWay() &&
      lanes.every((lane) => !lane.isWaiting() && keyOrder.held(lane.lane) === 0 && !lane.source.pending()),
    over: () =>
      state() === 'gone' &&
      !deadLettering.underWay() &&
      lanes.every(
        ({ spilled, rows }) =>
          spilled.all().length === 0 && rows.waiting === 0 && rows.taken.size === 0 && rows.unparked === 0,
      ),
    halt: () => {
      halted = true
      sending.stop()
      for (const { queue } of lanes) queue.clear()
      keyOrder.clearHeld()
    },
    end: async () => readiness.ready()?.lifetime.end(),
    snapshot: () => {
      const sum = (count: (lane: WorkerLane) => number): number => lanes.reduce((all, lane) => all + count(lane), 0)
      return {
        destinationId: id,
        state: state(),
        reason: breaker.reason(),
        queued: sum(({ lane, queue }) => queue.length() + keyOrder.held(lane)),
        inFlight: dispatcher.inFlight(),
        heldEvents: sum(({ spilled }) => spilled.events()),
        waitingRows: sum(({ rows }) => rows.waiting),
      }
    },
  }
}
