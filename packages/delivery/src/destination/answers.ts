import type { Clock, Metrics } from '@tributary/kernel'
import type { Lane } from '../log/record.ts'
import type { Item } from '../parking/in-flight-record.ts'
import type { CircuitBreaker } from './circuit-breaker.ts'
import type { Dispatched } from './dispatcher.ts'
import type { WorkerLane } from './worker-lane.ts'

/** Handles a batch whose request has ended. */
export type Answers = (batch: readonly Item[], dispatched: Dispatched) => void

/**
 * Records the outcomes of a batch, or splits it. Halves are sent before all other batches of their lane. They are
 * requeued if no request may be sent now, or a user was deleted.
 */
export const createAnswers = (deps: {
  lanes: Readonly<Record<Lane, WorkerLane>>
  breaker: Pick<CircuitBreaker, 'record'>
  ordered: () => boolean
  sends: () => boolean
  isHalted: () => boolean
  clock: Clock
  metrics: Pick<Metrics, 'count'>
  /** Called when more events may be sent. */
  wake: () => void
}): Answers => {
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
