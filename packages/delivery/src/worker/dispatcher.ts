import {
  type DeliverContext,
  type DeliverResult,
  type OAuth2Client,
  type OutgoingEvent,
  type OutgoingRow,
  RejectedError,
} from '@tributary/connector-kit'
import { faultPoint } from '@tributary/kernel'
import type { WorkerContext } from '../ports.ts'
import { resultOfError } from '../retry/retry-rules.ts'
import type { Item } from './in-flight-record.ts'
import type { Ready } from './readiness.ts'

/** The outcome of a request: answered, or to be sent again in halves since one event of it may be to blame. */
export type Dispatched =
  | { kind: 'answered'; result: DeliverResult /** The destination's settings are to blame. */; misconfigured: boolean }
  | { kind: 'split' }

/** Runs a worker's requests. */
export type Dispatcher = {
  /** Sends a batch; `done` of the dispatcher is called with the outcome, unless our own shutdown ended it. */
  send(ready: Ready, batch: readonly Item[]): void
  inFlight(): number
  /** Events of requests that are under way. */
  items(): readonly Item[]
  /** True when requests are under way and none ended for so long. */
  hangs(stallMs: number): boolean
  /** Gives the requests under way as long again until they count as hanging. */
  forgive(): void
}

/** What a batch holds: events, or rows, since it has one action. */
const contentOf = (batch: readonly Item[]): { events: OutgoingEvent[]; rows: OutgoingRow[] } => {
  const events: OutgoingEvent[] = []
  const rows: OutgoingRow[] = []
  for (const { event } of batch)
    if (event.row === undefined) events.push(event)
    else rows.push(event.row)
  return { events, rows }
}

/** A dispatcher with nothing under way. */
export const createDispatcher = (
  id: string,
  context: WorkerContext,
  done: (batch: readonly Item[], dispatched: Dispatched) => void,
): Dispatcher => {
  const { clock, logger, signal, requestClient } = context
  const underWay = new Set<readonly Item[]>()
  /** When a request ended last, or one started with nothing else under way. */
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
        request: requestClient.request,
        connect: requestClient.connect,
        lifetime: ready.lifetime,
        ...tokensFor(ready.client),
        clock,
        logger,
        signal,
      }
      const result = rows.length === 0 ? await deliver(events, given) : await deliverRows?.(rows, given)
      if (result === undefined) throw new RejectedError('This destination takes events only')
      faultPoint('delivery.after-request')
      return { result, misconfigured: false }
    } catch (error) {
      const { misconfigured, ...result } = resultOfError(error)
      if (result.request === '' && !misconfigured) logger.warn({ err: error, destination: id }, 'A delivery failed')
      return { result, misconfigured }
    }
  }

  const run = async (ready: Ready, batch: readonly Item[]): Promise<void> => {
    const { result, misconfigured } = await ask(ready, batch)
    underWay.delete(batch)
    lastProgress = clock()
    const { outcomes } = result
    // Ended by our own shutdown: the log or the parked row still has it.
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
