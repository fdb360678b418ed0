import {
  type DeliverContext,
  type DeliverResult,
  type OAuth2Client,
  type OutgoingEvent,
  type OutgoingRow,
  RejectedError,
} from '@tributary/connector-kit'
import { faultPoint, inWork, isHeldWork, resumeWork, WorkHeld } from '@tributary/kernel'
import type { Item } from '../parking/in-flight-record.ts'
import { resultOfError } from './outcomes.ts'
import type { Ready } from './readiness.ts'
import type { WorkerContext } from './worker-context.ts'

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
