import type { Metrics } from '@tributary/kernel'
import type { DeliverBranch } from '../../branches/deliver.ts'
import type { PublishBranch } from '../../branches/publish.ts'
import type { StoreBranch } from '../../branches/store.ts'
import type { MicroBatch } from '../../process.ts'

export type FanOutDeps = {
  publish: Pick<PublishBranch, 'add'>
  deliver: Pick<DeliverBranch, 'add'>
  store: Pick<StoreBranch, 'add'>
  metrics: Pick<Metrics, 'count'>
}

/** Hands a micro-batch to the three branches, none of which waits for another, and counts its events by status. */
export const createFanOut =
  ({ publish, deliver, store, metrics }: FanOutDeps): ((batch: MicroBatch) => void) =>
  (batch) => {
    for (const [sourceId, events] of batch.live) publish.add(sourceId, events)
    store.add(batch, deliver.add(batch))
    metrics.count('pipeline_events', batch.accepted, { status: 'accepted' })
    if (batch.blocked > 0) metrics.count('pipeline_events', batch.blocked, { status: 'blocked' })
    if (batch.held > 0) metrics.count('pipeline_events', batch.held, { status: 'held' })
    for (const [reason, count] of batch.rejected) {
      metrics.count('pipeline_events', count, { status: 'rejected' })
      metrics.count('pipeline_events_rejected', count, { reason })
    }
  }
