import {
  type DeliverContext,
  type DeliverResult,
  type OAuth2Client,
  type OutgoingEvent,
  type OutgoingRow,
  RejectedError,
} from '@tributary/connector-kit'
import {
  beginPiece,
  faultPoint,
  inWork,
  isHeldWork,
  type Metrics,
  nextTurn,
  resumeWork,
  WorkHeld,
} from '@tributary/kernel'
import type { Lane } from '../log/record.ts'
import type { Item } from '../parking/in-flight-record.ts'
import { type KeyOrder, laterDelivered } from '../parking/key-order.ts'
import { type CircuitBreaker, mayStart } from './circuit-breaker.ts'
import { resultOfError } from './outcomes.ts'
import type { Readiness, Ready } from './readiness.ts'
import type { WorkerContext } from './worker-context.ts'
import type { WorkerLane } from './worker-lane.ts'

/** Returns the work item of an event at a destination. An event that blocks a thread is held under this name. */
export const deliveryItem = (destinationId: string, eventId: string): string => `delivery ${destinationId} ${eventId}`

/**
 * Returns the work item of batches of a destination. If a batch blocks a thread, smaller batches are sent to find the
 * event.
 */
export const batchesItem = (destinationId: string): string => `batches ${destinationId}`

/**
 * The outcome of a request. Either it is completed, or it must be sent again in halves because one of its events may be
 * the cause.
 */
export type Dispatched =
  | {
      kind: 'answered'
      result: DeliverResult
      /** Whether the settings of the destination are the cause of the failure. */
      misconfigured: boolean
    }
  | { kind: 'split' }

/** Runs a worker's requests. */
export type Dispatcher = {
  /** Sends a batch, and calls `done` of the dispatcher with the outcome, unless our own shutdown ended the request. */
  send(ready: Ready, batch: readonly Item[]): void
  inFlight(): number
  /** Events of requests in flight. */
  items(): readonly Item[]
  /** Whether requests are in flight and none has ended for `stallMs`. */
  hangs(stallMs: number): boolean
  /** Restarts the time after which the requests in flight count as hanging. */
  forgive(): void
}

/** Returns the content of a batch: either events or rows, because a batch has one action. */
const contentOf = (batch: readonly Item[]): { events: OutgoingEvent[]; rows: OutgoingRow[] } => {
  const events: OutgoingEvent[] = []
  const rows: OutgoingRow[] = []
  for (const { event } of batch)
    if (event.row === undefined) events.push(event)
    else rows.push(event.row)
  return { events, rows }
}

const itemOfBatch = (id: string, batch: readonly Item[]): string => {
  const [first] = batch
  return first === undefined || batch.length > 1 ? batchesItem(id) : deliveryItem(id, first.event.eventId)
}

/** Attributes the work after a response to the same work item as the request. */
const resuming =
  <Given extends unknown[], Answer>(ask: (...given: Given) => Promise<Answer>) =>
  async (...given: Given): Promise<Answer> => {
    const answer = await ask(...given)
    resumeWork()
    return answer
  }

/** Creates a dispatcher that has no request in flight. */
export const createDispatcher = (
  id: string,
  context: WorkerContext,
  done: (batch: readonly Item[], dispatched: Dispatched) => void,
): Dispatcher => {
  const { clock, logger, signal, requestClient } = context
  const underWay = new Set<readonly Item[]>()
  /** When a request last ended, or when one started while no other was in flight. */
  let lastProgress = 0

  const tokensFor = (client: OAuth2Client | undefined): Pick<DeliverContext, 'accessToken'> => {
    const { accessTokens, destinationCache } = context
    if (client === undefined || accessTokens === undefined) return {}
    const grantId = destinationCache.get(id)?.grant?.id ?? ''
    return { accessToken: (refused, again) => accessTokens(id, { client, grantId, refused, again }) }
  }

  const ask = async (
    ready: Ready,
    batch: readonly Item[],
  ): Promise<{ result: DeliverResult; misconfigured: boolean }> => {
    try {
      const { events, rows } = contentOf(batch)
      const { deliver, deliverRows } = ready.definition
      const given: DeliverContext = {
        settings: ready.settings,
        request: resuming(requestClient.request),
        connect: resuming(requestClient.connect),
        lifetime: ready.lifetime,
        ...tokensFor(ready.client),
        clock,
        logger,
        signal,
      }
      const workspaceId = context.destinationCache.get(id)?.workspaceId ?? ''
      const item = itemOfBatch(id, batch)
      const result = await inWork({ step: 'delivery.send', workspaceId, item }, () =>
        rows.length === 0 ? deliver(events, given) : deliverRows?.(rows, given),
      )
      if (result === undefined) throw new RejectedError('This destination takes events only')
      faultPoint('delivery.after-request')
      return { result, misconfigured: false }
    } catch (failure) {
      // An event that blocked a thread is not retried automatically.
      const error = failure instanceof WorkHeld ? new RejectedError(failure.message) : failure
      const { misconfigured, ...result } = resultOfError(error)
      if (result.request === '' && !misconfigured) logger.warn({ err: error, destination: id }, 'delivery failed')
      return { result, misconfigured }
    }
  }

  const run = async (ready: Ready, batch: readonly Item[]): Promise<void> => {
    if (batch.length > 1 && isHeldWork(batchesItem(id))) {
      underWay.delete(batch)
      return done(batch, { kind: 'split' })
    }
    const { result, misconfigured } = await ask(ready, batch)
    underWay.delete(batch)
    lastProgress = clock()
    const { outcomes } = result
    // The request was ended by our own shutdown: the log or the parked row still has the events.
    if (signal.aborted && 'kind' in outcomes && outcomes.kind === 'retry') return
    if ('kind' in outcomes && outcomes.kind === 'split' && batch.length > 1) return done(batch, { kind: 'split' })
    done(batch, { kind: 'answered', result, misconfigured })
  }

  return {
    send: (ready, batch) => {
      if (underWay.size === 0) lastProgress = clock()
      underWay.add(batch)
      void run(ready, batch)
    },
    inFlight: () => underWay.size,
    items: () => [...underWay].flat(),
    hangs: (stallMs) => underWay.size > 0 && clock() - lastProgress >= stallMs,
    forgive: () => {
      lastProgress = clock()
    },
  }
}

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
