import type { DeliverContext, DeliverResult, OAuth2Client } from '@tributary/connector-kit'
import { backoffMs, faultPoint } from '@tributary/kernel'
import { createBacklog } from './backlog.ts'
import { createCollecting } from './collecting.ts'
import { createHeldRanges, type HeldRanges } from './held.ts'
import { createLaneQueue } from './lane-queue.ts'
import {
  type LaneEvent,
  type LaneState,
  laneTransitions,
  mayStart,
  noFailures,
  noteOutcome,
  trips,
} from './lane-state.ts'
import type { OffsetTracker, OpenOffset } from './offsets.ts'
import { createOutcomes, type LaneRows } from './outcomes.ts'
import type { Item } from './parts.ts'
import type { LaneContext } from './ports.ts'
import { type RangeChange, rangeChange } from './range-change.ts'
import { createReadiness, type Ready } from './readiness.ts'
import type { DeliveryRecord } from './record.ts'
import { outcomeAt, resultOfError } from './retry-rules.ts'
import { createTake } from './take.ts'

export type LaneSnapshot = {
  destinationId: string
  state: LaneState
  /** Why it is not flowing. */
  reason: string
  queued: number
  inFlight: number
  /** Events held as ranges of the log. */
  heldEvents: number
  /** Parked rows that wait for another try. */
  waitingRows: number
}

export type Lane = {
  readonly id: string
  /** Offers a record of the log that names this destination: it is queued, or held by reference. Never waits. */
  offer(record: DeliveryRecord, entry: OpenOffset, tracker: OffsetTracker): void
  /** Ends a rest now: somebody says that the destination works again. What is due is probed at the next tick. */
  endRest(): void
  /** Looks at the directory and the time, and starts what may start. */
  tick(): void
  /** What of the held ranges must be written; with `all` also the youngest. */
  ranges(all: boolean): RangeChange
  readonly held: HeldRanges
  readonly rows: LaneRows
  /** True when nothing is queued, under way, or could be sent now. */
  idle(): boolean
  /** True when its destination is deleted and nothing of it is left. */
  over(): boolean
  /** No request starts any more; what is queued is forgotten and stays in the log. */
  halt(): void
  /** Closes what its connector keeps open. */
  end(): Promise<void>
  snapshot(): LaneSnapshot
}

/** A short pause that a destination asked for is waited out with the queue in memory. */
const shortRestMs = 2000

/**
 * Everything about one destination: its queue, its requests, its circuit, what it holds. It shares nothing with other
 * lanes but bounded budgets, so that a dead or hanging destination delays nobody.
 */
export const createLane = (id: string, context: LaneContext): Lane => {
  const { clock, settings, parking, logger, metrics } = context
  const held = createHeldRanges()
  const queue = createLaneQueue(context.queued)
  let state: LaneState = 'paused'
  let reason = 'not looked up yet'
  let missingSince: number | undefined
  let window = noFailures
  let tripCount = 0
  let restUntil = 0
  let inFlight = 0
  const underWay = new Set<readonly Item[]>()
  /** When a request ended last, or one started with nothing else under way. */
  let lastProgress = 0
  let halted = false
  let burying = false
  let alarm: { at: number; timer: NodeJS.Timeout } | undefined
  const readiness = createReadiness(context)
  const outcomes = createOutcomes(id, context)
  const { rows } = outcomes
  const ordered = (): boolean => readiness.ready()?.ordered === true

  const collecting = createCollecting({
    context,
    held,
    queue,
    ready: readiness.ready,
    state: () => state,
  })

  const room = (): boolean => {
    const bounds = collecting.bounds()
    return (
      queue.length() < bounds.events &&
      queue.bytes() < bounds.bytes &&
      context.queued.bytes < settings.totalBytes &&
      rows.unparked < settings.unparked &&
      !context.attempts.full()
    )
  }

  /** Parked rows may go beyond the queue's bound once, so that held ranges cannot keep them out. */
  const rowRoom = (): boolean => {
    const bounds = collecting.bounds()
    return (
      queue.length() < 2 * bounds.events &&
      queue.bytes() < 2 * bounds.bytes &&
      context.queued.bytes < 2 * settings.totalBytes &&
      !context.attempts.full()
    )
  }

  const take = createTake({
    id,
    context,
    outcomes,
    queue,
    ready: readiness.ready,
    sends: () => !halted && (state === 'flowing' || state === 'probing'),
    wake: () => pump(),
  })

  const backlog = createBacklog({
    id,
    context,
    held,
    rows,
    ordered,
    room: () => room() && take.free(),
    rowRoom: () => rowRoom() && take.free(),
    rangesDue: collecting.due,
    take,
    state: () => (halted ? 'paused' : state),
    busy: () => inFlight > 0 || queue.length() > 0 || take.pending() > 0,
    closeRow: outcomes.closeRow,
    lostRow: outcomes.lost,
    wake: () => pump(),
  })

  const enter = (next: LaneState, restMs: number): void => {
    const previous = state
    state = next
    logger.info({ destination: id, from: previous, to: next, reason }, 'A delivery lane changed its state')
    metrics.count('delivery_lane_changes', 1, { state: next })
    if (next === 'broken')
      restUntil = clock() + Math.max(restMs, backoffMs({ ...settings.circuit, maxElapsedMs: 0 }, ++tripCount))
    if (next === 'deferred') restUntil = Math.max(restUntil, clock() + restMs)
    if (next === 'flowing') {
      window = noFailures
      tripCount = 0
      reason = ''
      if (previous !== 'deferred') backlog.makeDue()
      return
    }
    const waitsBriefly = next === 'probing' || (next === 'deferred' && restMs <= shortRestMs)
    if (!waitsBriefly) giveBack()
  }

  /** What is queued goes back to where it waits. */
  const giveBack = (): void => {
    outcomes.giveBack(queue.clear(), clock())
    take.giveBack()
    backlog.settleFirst()
  }

  const on = (event: LaneEvent, why: string, restMs = 0): void => {
    const next = laneTransitions[state][event]
    if (next !== 'flowing' && why !== '') reason = why
    if (next !== state) return enter(next, restMs)
    if (restMs > 0 && (state === 'deferred' || state === 'broken')) restUntil = Math.max(restUntil, clock() + restMs)
  }

  const refresh = (): void => {
    const entry = context.directory.get(id)
    if (entry === undefined) {
      missingSince ??= clock()
      if (clock() - missingSince >= settings.unknownGraceMs) on('removed', 'The destination was deleted')
      else if (state !== 'gone') on('halted', 'The destination is not known')
      return
    }
    missingSince = undefined
    const before = readiness.ready()
    const { problem } = readiness.look(entry)
    // What is queued was judged by the gate of before, or overtook what is to be in order now: it comes back.
    if (before?.gate !== readiness.ready()?.gate) giveBack()
    if (!entry.enabled) on('halted', 'The destination is disabled')
    else if (problem !== '') on('halted', problem)
    else on('usable', '')
  }

  const judge = (batch: readonly Item[], result: DeliverResult, misconfigured: boolean): void => {
    let failure: { why: string; restMs: number } | undefined
    for (let index = 0; index < batch.length; index++) {
      const outcome = outcomeAt(result, index)
      if (outcome.kind !== 'retry') continue
      const restMs = Math.min(outcome.retryAfterMs ?? 0, settings.retryAfterCapMs)
      failure = { why: outcome.reason, restMs: Math.max(restMs, failure?.restMs ?? 0) }
    }
    window = noteOutcome(window, failure !== undefined, settings.circuit.window)
    if (failure === undefined) return on('succeeded', '')
    const breaks = misconfigured || ordered() || trips(window, settings.circuit)
    const event = breaks ? 'tripped' : failure.restMs > 0 ? 'asked' : 'failed'
    on(event, failure.why, failure.restMs)
  }

  const tokensFor = (client: OAuth2Client | undefined): Pick<DeliverContext, 'accessToken'> => {
    const { accessTokens, directory } = context
    if (client === undefined || accessTokens === undefined) return {}
    const grantId = directory.get(id)?.grant?.id ?? ''
    return { accessToken: (refused, again) => accessTokens(id, { client, grantId, refused, again }) }
  }

  const send = async (
    { definition, settings: own, client, lifetime }: Ready,
    batch: readonly Item[],
  ): Promise<void> => {
    let result: DeliverResult
    let misconfigured = false
    try {
      const { clock: time, signal, requestClient } = context
      const events = batch.map((item) => item.event)
      const answered = await definition.deliver(events, {
        settings: own,
        request: requestClient.request,
        connect: requestClient.connect,
        lifetime,
        ...tokensFor(client),
        clock: time,
        logger,
        signal,
      })
      faultPoint('delivery.after-request')
      result = answered
    } catch (error) {
      const failed = resultOfError(error)
      result = failed
      misconfigured = failed.misconfigured
      if (result.request === '' && !misconfigured) logger.warn({ err: error, destination: id }, 'A delivery failed')
    }
    inFlight--
    underWay.delete(batch)
    lastProgress = clock()
    // Ended by our own shutdown: the log or the parked row still has it.
    if (context.signal.aborted && 'kind' in result.outcomes && result.outcomes.kind === 'retry') return
    if ('kind' in result.outcomes && result.outcomes.kind === 'split' && batch.length > 1) return split(batch)
    outcomes.settle(batch, result, clock())
    judge(batch, result, misconfigured)
    pump()
  }

  /** Sends the halves of a batch before everything else, or gives them back when nothing may be sent any more. */
  const split = (batch: readonly Item[]): void => {
    if (halted) return
    metrics.count('delivery_batches_split', 1)
    const middle = batch.length >> 1
    if (state === 'flowing' || state === 'probing') queue.putFirst([batch.slice(0, middle), batch.slice(middle)])
    else outcomes.giveBack(batch, clock())
    pump()
  }

  /** Pumps again after so many ms, at the latest. */
  const wakeIn = (ms: number): void => {
    const at = clock() + ms
    if (!Number.isFinite(ms) || (alarm !== undefined && alarm.at <= at)) return
    clearTimeout(alarm?.timer)
    const timer = setTimeout(() => {
      alarm = undefined
      pump()
    }, ms)
    alarm = { at, timer }
  }

  /** What leaves now, or ms until something may. */
  const nextBatch = (ready: Ready): readonly Item[] | number => {
    const { bucket, ordered: inOrder } = ready
    const now = clock()
    const wait = bucket?.wait(now) ?? 0
    // A batch that cannot grow, since the queue holds no more, leaves as it is.
    const batching = room() ? collecting.batching(ready) : { ...ready.batching, maxWaitMs: 0 }
    const next = wait > 0 ? wait : queue.next(batching, now, inOrder)
    if (typeof next !== 'number') bucket?.take(now)
    return next
  }

  const pump = (): void => {
    if (halted) return
    if (collecting.active() || queue.length() < collecting.bounds().events / 2) backlog.fill()
    for (let ready = readiness.ready(); ready !== undefined && queue.length() > 0; ready = readiness.ready()) {
      if (!mayStart(state, inFlight, ready.concurrency)) return
      if (context.attempts.full() || rows.unparked >= settings.unparked) return
      const batch = nextBatch(ready)
      if (typeof batch === 'number') {
        const queued = queue.length()
        // What is held may make the batch full.
        backlog.fill()
        if (queue.length() > queued) continue
        return wakeIn(batch)
      }
      if (inFlight === 0) lastProgress = clock()
      inFlight++
      underWay.add(batch)
      void send(ready, batch)
    }
  }

  /** A destination that hangs, or takes little, holds nothing but its own memory: the shared position moves on. */
  const unload = (): void => {
    // What it has comes from ranges and rows, which are durable.
    if (collecting.active()) return
    const now = clock()
    const oldest = queue.oldest()
    const hangs = inFlight > 0 && now - lastProgress >= settings.stallMs
    const patience = settings.crawlMs + (readiness.ready()?.batching.maxWaitMs ?? 0)
    const crawls = oldest !== undefined && oldest.part.row === undefined && now - oldest.since >= patience
    if (!hangs && !crawls) return
    lastProgress = now
    outcomes.adopt([...[...underWay].flat(), ...queue.items()], now)
  }

  const bury = (): void => {
    if (burying || (rows.waiting === 0 && !Number.isFinite(rows.nextDue))) return
    burying = true
    parking.bury(id, 'The destination was deleted').then(
      (events) => {
        rows.waiting = 0
        rows.nextDue = Number.POSITIVE_INFINITY
        burying = false
        metrics.count('delivery_events_dead', events, { reason: 'deleted' })
      },
      (error: unknown) => {
        burying = false
        logger.warn({ err: error, destination: id }, 'Parked deliveries of a deleted destination cannot be closed yet')
      },
    )
  }

  refresh()
  return {
    id,
    held,
    rows,
    offer: (record, entry, tracker) => {
      const { partition, offset, time, bytes, meta } = record.reference
      if (held.covers(partition, offset)) return
      const follows = ordered() ? backlog.upToDate() : !held.lags(partition)
      if (state === 'flowing' && !halted && follows && !collecting.active() && room() && take.free()) {
        entry.open++
        take(record, undefined, () => tracker.release(entry))
        pump()
        return
      }
      held.hold({ partition, offset, time, bytes, workspaceId: meta.w, sourceId: meta.s, events: meta.n }, clock())
    },
    endRest: () => {
      restUntil = 0
    },
    tick: () => {
      if (halted) return
      refresh()
      if ((state === 'broken' || state === 'deferred') && clock() >= restUntil) on('rested', '')
      if (state === 'gone') bury()
      unload()
      pump()
    },
    ranges: (all) => rangeChange({ id, held, settings, metrics, now: clock(), all, gone: state === 'gone' }),
    idle: () => queue.length() === 0 && inFlight === 0 && take.pending() === 0 && !backlog.pending() && !burying,
    over: () =>
      state === 'gone' &&
      !burying &&
      held.all().length === 0 &&
      rows.waiting === 0 &&
      rows.taken.size === 0 &&
      rows.unparked === 0,
    halt: () => {
      halted = true
      clearTimeout(alarm?.timer)
      queue.clear()
    },
    end: async () => readiness.ready()?.lifetime.end(),
    snapshot: () => ({
      destinationId: id,
      state,
      reason,
      queued: queue.length(),
      inFlight,
      heldEvents: held.events(),
      waitingRows: rows.waiting,
    }),
  }
}
