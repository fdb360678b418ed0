import type { OffsetTracker, OpenOffset } from '../log/offsets.ts'
import type { DeliveryRecord } from '../log/record.ts'
import { type Lane, lanes as laneNames, ofLanes } from '../log/record.ts'
import { createDeadLettering } from '../parking/dead-letters.ts'
import type { Item } from '../parking/in-flight-record.ts'
import { createKeyOrder, type KeyOrder } from '../parking/key-order.ts'
import type { Intake } from '../parking/parking-context.ts'
import { type RangeChange, rangeChange } from '../parking/range-change.ts'
import type { WorkerRows } from '../parking/retry-queue.ts'
import type { SpilledRanges } from '../parking/spilled-ranges.ts'
import { createAnswers } from './answers.ts'
import { createCircuitBreaker, type WorkerState } from './circuit-breaker.ts'
import { createDispatcher } from './dispatcher.ts'
import { createReadiness } from './readiness.ts'
import { createSending } from './sending.ts'
import type { WorkerContext } from './worker-context.ts'
import { createWorkerLane, type WorkerLane } from './worker-lane.ts'

export type WorkerSnapshot = {
  destinationId: string
  state: WorkerState
  /** Why it is not flowing. */
  reason: string
  queued: number
  inFlight: number
  /** Events held as ranges of the log. */
  heldEvents: number
  /** Parked rows that wait for another try. */
  waitingRows: number
}

/** What a worker holds of a lane: ranges of the log, and rows. */
export type HeldOfLane = { readonly lane: Lane; readonly spilled: SpilledRanges; readonly rows: WorkerRows }

export type DestinationWorker = {
  readonly id: string
  /** Offers a record of the log that names this destination: it is queued, or held by reference. Never waits. */
  offer(record: DeliveryRecord, entry: OpenOffset, tracker: OffsetTracker): void
  /** Ends a rest now, because the destination is said to work again. The next tick probes what is due. */
  endRest(): void
  /** Requeues what waits in memory, if it has anything of these partitions. */
  requeue(partitions: ReadonlySet<number>): void
  /** True while anything of these partitions is queued or in flight. */
  isBusy(partitions: ReadonlySet<number>): boolean
  /** Checks the configuration cache and the time, and starts requests that may start. */
  tick(): void
  /** Changes of the spilled ranges to write; with `all` also the youngest. */
  ranges(all: boolean): RangeChange
  /** What it holds of each lane. */
  readonly held: Readonly<Record<Lane, HeldOfLane>>
  readonly lanes: readonly HeldOfLane[]
  /** Open changes of producers at this destination. */
  readonly keyOrder: KeyOrder
  /** True when nothing is queued, in flight, or could be sent now. */
  idle(): boolean
  /** True when its destination is deleted and nothing of it is left. */
  over(): boolean
  /** Starts no more requests; forgets the queue, which stays in the log. */
  halt(): void
  /** Closes what its connector keeps open. */
  end(): Promise<void>
  snapshot(): WorkerSnapshot
}

/**
 * The worker of one destination: its lanes, requests, circuit, and held deliveries. It shares only bounded budgets with
 * other workers, so a dead or hanging destination delays no other one. The lane of replays and syncs sends when the
 * live lane cannot, and never takes the last free request.
 */
export const createDestinationWorker = (id: string, context: WorkerContext): DestinationWorker => {
  const { clock, settings, metrics } = context
  let missingSince: number | undefined
  let halted = false
  /** Version of the deleted users at the last look; undefined before the first one. */
  let forgottenVersion: string | undefined
  const readiness = createReadiness(context)
  const ordered = (): boolean => readiness.ready()?.ordered === true
  // In a destination in order, each record is in order already.
  const keyOrder = createKeyOrder(context.queued, () => !ordered())
  const breaker = createCircuitBreaker(id, context, {
    recovered: () => {
      for (const { source } of lanes) source.makeDue()
    },
    stopped: () => requeue(),
  })
  const { state } = breaker
  const sends = (): boolean => !halted && (state() === 'flowing' || state() === 'probing')
  /** The live lane is probed first. */
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

  /** Requeues everything that is queued. */
  const requeue = (): void => {
    const held = keyOrder.clearHeld()
    for (const lane of lanes) lane.requeue(held.filter(({ inFlight }) => inFlight.lane === lane.lane))
  }

  /** Items in memory, those in flight first. */
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

  /** True when a user of the workspace was deleted since the last look. */
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
    // The former gate checked the queued items, or they overtook items that now have an order: they are requeued.
    const deletes = noticesDeletion(entry.workspaceId)
    if (deletes) for (const { outcomes } of lanes) outcomes.noteForgotten(inMemory(), clock())
    if (deletes || before?.gate !== readiness.ready()?.gate) requeue()
    if (!entry.enabled) breaker.note('halted', 'The destination is disabled')
    else if (problem !== '') breaker.note('halted', problem)
    else breaker.note('usable', '')
  }

  /**
   * Parks the items of a destination that hangs or is slow: it holds only its own memory, and the shared position moves
   * on.
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
      // A range may be processed in the other lane than its records came in.
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
