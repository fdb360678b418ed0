import type { OffsetTracker, OpenOffset } from '../log/offsets.ts'
import type { DeliveryRecord } from '../log/record.ts'
import type { WorkerContext } from '../ports.ts'
import { createDeadLettering } from '../retry/dead-letters.ts'
import { type RangeChange, rangeChange } from '../retry/range-change.ts'
import { createRetryQueue, type WorkerRows } from '../retry/retry-queue.ts'
import { createRetrySource } from '../retry/retry-source.ts'
import { createSpilledRanges, type SpilledRanges } from '../retry/spilled-ranges.ts'
import { createAlarm } from './alarm.ts'
import { createBatchQueue } from './batch-queue.ts'
import { createCircuitBreaker } from './circuit-breaker.ts'
import { createCollecting } from './collecting.ts'
import { createDispatcher } from './dispatcher.ts'
import type { Item } from './in-flight-record.ts'
import { createKeyOrder, type KeyOrder, laterDelivered } from './key-order.ts'
import { createOutcomes } from './outcomes.ts'
import { createReadiness, type Ready } from './readiness.ts'
import { createRecordConsumer } from './record-consumer.ts'
import { mayStart, type WorkerState } from './worker-state.ts'

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

export type DestinationWorker = {
  readonly id: string
  /** Offers a record of the log that names this destination: it is queued, or held by reference. Never waits. */
  offer(record: DeliveryRecord, entry: OpenOffset, tracker: OffsetTracker): void
  /** Ends a rest now: somebody says that the destination works again. What is due is probed at the next tick. */
  endRest(): void
  /** Gives back what waits in memory, if it has anything of these partitions: it goes where it waited before. */
  requeue(partitions: ReadonlySet<number>): void
  /** True while something of these partitions is queued or under way. */
  isBusy(partitions: ReadonlySet<number>): boolean
  /** Looks at the configuration cache and the time, and starts what may start. */
  tick(): void
  /** What of the spilled ranges must be written; with `all` also the youngest. */
  ranges(all: boolean): RangeChange
  readonly spilled: SpilledRanges
  readonly rows: WorkerRows
  /** What of producers is open here. */
  readonly keyOrder: KeyOrder
  /** True when nothing is queued, under way, or could be sent now. */
  idle(): boolean
  /** True when its destination is deleted and nothing of it is left. */
  over(): boolean
  /** No request starts any more; what is queued is forgotten and stays in the log. */
  halt(): void
  /** Closes what its connector keeps open. */
  end(): Promise<void>
  snapshot(): WorkerSnapshot
}

/**
 * Everything about one destination: its queue, its requests, its circuit, what it holds. It shares nothing with other
 * workers but bounded budgets, so that a dead or hanging destination delays nobody.
 */
export const createDestinationWorker = (id: string, context: WorkerContext): DestinationWorker => {
  const { clock, settings, metrics } = context
  const spilled = createSpilledRanges((partition) => context.owned.has(partition))
  const queue = createBatchQueue(context.queued)
  let missingSince: number | undefined
  let halted = false
  /** Of who was deleted, as it was looked at last; undefined before the first look. */
  let forgottenVersion: string | undefined
  const readiness = createReadiness(context)
  const ordered = (): boolean => readiness.ready()?.ordered === true
  // Where everything is in order, each record is.
  const keyOrder = createKeyOrder(context.queued, () => !ordered())
  const retries = createRetryQueue(id, context, keyOrder)
  const { rows } = retries
  const outcomes = createOutcomes(id, context, retries, keyOrder)
  const breaker = createCircuitBreaker(id, context, {
    recovered: () => retrySource.makeDue(),
    stopped: () => requeue(),
  })
  const { state } = breaker
  const sends = (): boolean => !halted && (state() === 'flowing' || state() === 'probing')
  const alarm = createAlarm(clock, () => pump())
  const deadLettering = createDeadLettering(id, rows, context, keyOrder)
  const dispatcher = createDispatcher(id, context, (batch, dispatched) => {
    if (dispatched.kind === 'split') return split(batch)
    const { result, misconfigured } = dispatched
    outcomes.settle(batch, result, clock())
    breaker.record(result, batch.length, { misconfigured, ordered: ordered() })
    pump()
  })
  const collecting = createCollecting({ context, spilled, queue, ready: readiness.ready, state })

  const hasCapacity = (): boolean => {
    const bounds = collecting.bounds()
    return (
      queue.length() + keyOrder.held() < bounds.events &&
      keyOrder.size() < settings.openChanges &&
      queue.bytes() < bounds.bytes &&
      context.queued.bytes < settings.totalBytes &&
      rows.unparked < settings.unparked &&
      !context.attempts.full()
    )
  }

  /** Parked rows may go beyond the queue's bound once, so that spilled ranges cannot keep them out. */
  const hasRowCapacity = (): boolean => {
    const bounds = collecting.bounds()
    return (
      queue.length() + keyOrder.held() < 2 * bounds.events &&
      queue.bytes() < 2 * bounds.bytes &&
      context.queued.bytes < 2 * settings.totalBytes &&
      !context.attempts.full()
    )
  }

  const consume = createRecordConsumer({
    id,
    context,
    outcomes,
    queue,
    order: keyOrder,
    ready: readiness.ready,
    sends,
    wake: () => pump(),
  })

  const retrySource = createRetrySource({
    id,
    context,
    spilled,
    retries,
    keyOrder,
    ordered,
    hasCapacity: () => hasCapacity() && consume.free(),
    hasRowCapacity: () => hasRowCapacity() && consume.free(),
    rangesDue: collecting.due,
    consume,
    state: () => (halted ? 'paused' : state()),
    busy: () => dispatcher.inFlight() > 0 || queue.length() > 0 || consume.pending() > 0,
    wake: () => pump(),
  })

  /** What is queued goes back to where it waits. */
  const requeue = (): void => {
    outcomes.requeue([...queue.clear(), ...keyOrder.clearHeld()], clock())
    consume.requeue()
    retrySource.settleFirst()
  }

  /** Of what is sent first. */
  const inMemory = (): readonly Item[] => [...dispatcher.items(), ...queue.items(), ...keyOrder.heldItems()]

  const isBusy = (partitions: ReadonlySet<number>): boolean =>
    inMemory().some(({ inFlight }) => partitions.has(inFlight.record.partition)) ||
    consume.has(partitions) ||
    [...rows.taken.values()].some((partition) => partitions.has(partition)) ||
    spilled.all().some((range) => partitions.has(range.partition) && range.tracker.size() > 0)

  /** True when somebody of the workspace was deleted since the last look. */
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
    // What is queued was checked by the gate of before, or overtook what is to be in order now: it comes back.
    const deletes = noticesDeletion(entry.workspaceId)
    if (deletes) outcomes.noteForgotten(inMemory(), clock())
    if (deletes || before?.gate !== readiness.ready()?.gate) requeue()
    if (!entry.enabled) breaker.note('halted', 'The destination is disabled')
    else if (problem !== '') breaker.note('halted', problem)
    else breaker.note('usable', '')
  }

  /** Sends the halves of a batch before everything else, or requeues them when nothing may be sent any more, or somebody was deleted. */
  const split = (batch: readonly Item[]): void => {
    if (halted) return
    metrics.count('delivery_batches_split', 1)
    const middle = batch.length >> 1
    if (sends() && !batch.some(outcomes.isStale)) queue.putFirst([batch.slice(0, middle), batch.slice(middle)])
    else outcomes.requeue(batch, clock())
    pump()
  }

  /** What leaves now, or ms until something may. */
  const nextBatch = (ready: Ready): readonly Item[] | number => {
    const { bucket, ordered: inOrder } = ready
    const now = clock()
    const wait = bucket?.wait(now) ?? 0
    // A batch that cannot grow, since the queue holds no more, leaves as it is.
    const batching = hasCapacity() ? collecting.batching(ready) : { ...ready.batching, maxWaitMs: 0 }
    const next = wait > 0 ? wait : queue.next(batching, now, inOrder)
    if (typeof next !== 'number') bucket?.take(now)
    return next
  }

  /** Goes on with what was held behind changes that are settled now. */
  const letGo = (): void => {
    for (let released = keyOrder.released(); released !== undefined; released = keyOrder.released()) {
      const { send, superseded, behind } = released
      if (send.length > 0) queue.add(send)
      if (behind.length > 0) outcomes.waitBehind(behind, clock())
      const gateResult = { kind: 'filtered' as const, reason: laterDelivered }
      if (superseded.length > 0)
        outcomes.skip(
          superseded.map((item) => ({ ...item, gateResult })),
          clock(),
        )
    }
  }

  const pump = (): void => {
    if (halted) return
    letGo()
    if (collecting.active() || queue.length() < collecting.bounds().events / 2) retrySource.fill()
    for (let ready = readiness.ready(); ready !== undefined && queue.length() > 0; ready = readiness.ready()) {
      if (!mayStart(state(), dispatcher.inFlight(), ready.concurrency)) return
      if (context.attempts.full() || rows.unparked >= settings.unparked) return
      const batch = nextBatch(ready)
      if (typeof batch === 'number') {
        const queued = queue.length()
        // What is held may make the batch full.
        retrySource.fill()
        if (queue.length() > queued) continue
        return alarm.ringIn(batch)
      }
      dispatcher.send(ready, batch)
    }
  }

  /** A destination that hangs, or takes little, holds nothing but its own memory: the shared position moves on. */
  const unload = (): void => {
    // What it has comes from ranges and rows, which are durable.
    if (collecting.active()) return
    const now = clock()
    const oldest = queue.oldest()
    const patience = settings.crawlMs + (readiness.ready()?.batching.maxWaitMs ?? 0)
    const crawls = oldest !== undefined && oldest.inFlight.row === undefined && now - oldest.since >= patience
    if (!dispatcher.hangs(settings.stallMs) && !crawls) return
    dispatcher.forgive()
    outcomes.takeOver(inMemory(), now)
  }

  refresh()
  return {
    id,
    spilled,
    rows,
    keyOrder,
    offer: (record, entry, tracker) => {
      const { partition, offset, time, bytes, meta } = record.reference
      if (spilled.covers(partition, offset)) return
      const follows = ordered() ? retrySource.upToDate() : !spilled.lags(partition)
      if (state() === 'flowing' && !halted && follows && !collecting.active() && hasCapacity() && consume.free()) {
        entry.open++
        consume(record, undefined, () => tracker.release(entry))
        pump()
        return
      }
      const of = { workspaceId: meta.w, sourceId: meta.s, needsReport: meta.b !== undefined, events: meta.n }
      spilled.add({ partition, offset, time, bytes, ...of }, clock())
    },
    requeue: (partitions) => {
      if (isBusy(partitions)) requeue()
      rows.version++
      rows.handovers++
    },
    isBusy,
    endRest: breaker.endRest,
    tick: () => {
      if (halted) return
      refresh()
      breaker.tick()
      if (state() === 'gone') deadLettering.deadLetterAll()
      unload()
      pump()
    },
    ranges: (all) => rangeChange({ id, spilled, settings, metrics, now: clock(), all, gone: state() === 'gone' }),
    idle: () =>
      queue.length() === 0 &&
      keyOrder.held() === 0 &&
      dispatcher.inFlight() === 0 &&
      consume.pending() === 0 &&
      !retrySource.pending() &&
      !deadLettering.underWay(),
    over: () =>
      state() === 'gone' &&
      !deadLettering.underWay() &&
      spilled.all().length === 0 &&
      rows.waiting === 0 &&
      rows.taken.size === 0 &&
      rows.unparked === 0,
    halt: () => {
      halted = true
      alarm.stop()
      queue.clear()
      keyOrder.clearHeld()
    },
    end: async () => readiness.ready()?.lifetime.end(),
    snapshot: () => ({
      destinationId: id,
      state: state(),
      reason: breaker.reason(),
      queued: queue.length() + keyOrder.held(),
      inFlight: dispatcher.inFlight(),
      heldEvents: spilled.events(),
      waitingRows: rows.waiting,
    }),
  }
}
