import { beginPiece, type Metrics, nextTurn } from '@tributary/kernel'
import type { Lane } from '../log/record.ts'
import type { Item } from '../parking/in-flight-record.ts'
import { type KeyOrder, laterDelivered } from '../parking/key-order.ts'
import { type CircuitBreaker, mayStart } from './circuit-breaker.ts'
import type { Dispatched, Dispatcher } from './dispatcher.ts'
import type { Readiness, Ready } from './readiness.ts'
import type { WorkerContext } from './worker-context.ts'
import type { WorkerLane } from './worker-lane.ts'

/** Starts the requests of a worker that may start now. */
export type Sending = {
  /**
   * Fills the queues, and sends batches of both lanes in turn. If a batch may be sent later, a timer calls it again. If
   * the batches take long, the others are sent in the next turn of the thread.
   */
  pump(): void
  /** Cancels the timer, so that it sends nothing more. */
  stop(): void
}

/** A single timer that can be set several times. The earliest of the set times counts. */
export type Alarm = {
  /** Rings after at most this many ms; never for Infinity. */
  ringIn(ms: number): void
  stop(): void
}

/** Creates an alarm that is not set. */
export const createAlarm = (clock: WorkerContext['clock'], ring: () => void): Alarm => {
  let set: { at: number; timer: NodeJS.Timeout } | undefined
  return {
    ringIn: (ms) => {
      const at = clock() + ms
      if (!Number.isFinite(ms) || (set !== undefined && set.at <= at)) return
      clearTimeout(set?.timer)
      const timer = setTimeout(() => {
        set = undefined
        ring()
      }, ms)
      set = { at, timer }
    },
    stop: () => {
      clearTimeout(set?.timer)
      set = undefined
    },
  }
}

/**
 * Creates the sending of a worker. The live lane has the next turn after each request, and bulk requests never use the
 * last free one.
 */
export const createSending = (deps: {
  lanes: Readonly<Record<Lane, WorkerLane>>
  keyOrder: KeyOrder
  breaker: Pick<CircuitBreaker, 'state'>
  readiness: Pick<Readiness, 'ready'>
  dispatcher: Pick<Dispatcher, 'send' | 'inFlight'>
  isHalted: () => boolean
  clock: WorkerContext['clock']
}): Sending => {
  const { lanes, keyOrder, breaker, readiness, dispatcher, isHalted, clock } = deps
  const { live, bulk } = lanes
  const alarm = createAlarm(clock, () => pump())

  /** Continues with items that waited for changes of their record, if these changes are finished now. */
  const letGo = (): void => {
    for (let released = keyOrder.released(); released !== undefined; released = keyOrder.released()) {
      const { send, superseded, behind } = released
      const gateResult = { kind: 'filtered' as const, reason: laterDelivered }
      for (const { lane, queue, outcomes } of [live, bulk]) {
        const isOfLane = ({ inFlight }: Item): boolean => inFlight.lane === lane
        const [sent, skipped] = [send.filter(isOfLane), superseded.filter(isOfLane)]
        const waiting = behind.filter(({ item }) => isOfLane(item))
        if (sent.length > 0) queue.add(sent)
        if (waiting.length > 0) outcomes.waitBehind(waiting, clock())
        if (skipped.length > 0)
          outcomes.skip(
            skipped.map((item) => ({ ...item, gateResult })),
            clock(),
          )
      }
    }
  }

  /** Whether a lane may start another request. */
  const mayBegin = (of: WorkerLane, { concurrency }: Ready): boolean => {
    const inFlight = dispatcher.inFlight()
    const state = breaker.state()
    if (!mayStart(state, inFlight, concurrency) || of.isHeldUp()) return false
    if (of.lane === 'live') return true
    // Held live events have priority, and always find a free request.
    return !live.source.brings() && (concurrency === 1 || state !== 'flowing' || inFlight + 1 < concurrency)
  }

  /** Sends a batch of a lane and returns true, or returns the ms until a batch may be sent. */
  const sendNext = (of: WorkerLane, ready: Ready): true | number => {
    if (of.queue.length() === 0 || !mayBegin(of, ready)) return Number.POSITIVE_INFINITY
    const batch = of.nextBatch(ready)
    if (typeof batch !== 'number') {
      dispatcher.send(ready, batch)
      return true
    }
    const queued = of.queue.length()
    // Held records may complete the batch.
    of.source.fill()
    return of.queue.length() > queued || batch
  }

  /** Whether the next batches wait for a turn of the thread. */
  let isPaused = false
  const pumpLater = (): void => {
    isPaused = true
    void nextTurn().then(() => {
      isPaused = false
      pump()
    })
  }

  const pump = (): void => {
    if (isHalted() || isPaused) return
    const piece = beginPiece()
    letGo()
    live.fill()
    bulk.fill()
    for (let ready = readiness.ready(); ready !== undefined; ready = readiness.ready()) {
      const sent = sendNext(live, ready)
      // The live lane has the next turn after each request.
      const after = sent === true || sendNext(bulk, ready)
      if (sent === true || after === true) {
        if (piece.isOver()) return pumpLater()
        continue
      }
      const wait = Math.min(sent, after)
      return Number.isFinite(wait) ? alarm.ringIn(wait) : undefined
    }
  }

  return { pump, stop: alarm.stop }
}

/**
 * Handles a batch whose request has ended: records its outcomes, or splits it. Halves are sent before all other batches
 * of their lane. They are requeued if no request may be sent now, or a user was deleted.
 */
export const createAnswers = (deps: {
  lanes: Readonly<Record<Lane, WorkerLane>>
  breaker: Pick<CircuitBreaker, 'record'>
  ordered: () => boolean
  sends: () => boolean
  isHalted: () => boolean
  clock: WorkerContext['clock']
  metrics: Pick<Metrics, 'count'>
  /** Called when more events may be sent. */
  wake: () => void
}): ((batch: readonly Item[], dispatched: Dispatched) => void) => {
  const { lanes, breaker, ordered, sends, isHalted, clock, metrics, wake } = deps

  const split = (batch: readonly Item[], { queue, outcomes }: WorkerLane): void => {
    metrics.count('delivery_batches_split', 1)
    const middle = batch.length >> 1
    if (sends() && !batch.some(outcomes.isStale)) queue.putFirst([batch.slice(0, middle), batch.slice(middle)])
    else outcomes.requeue(batch, clock())
  }

  return (batch, dispatched) => {
    const lane = lanes[batch[0]?.inFlight.lane ?? 'live']
    if (dispatched.kind === 'split') {
      if (isHalted()) return
      split(batch, lane)
    } else {
      const { result, misconfigured } = dispatched
      lane.outcomes.settle(batch, result, clock())
      breaker.record(result, batch.length, { misconfigured, ordered: ordered() })
    }
    wake()
  }
}
