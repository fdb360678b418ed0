import { faultPoint } from '@tributary/kernel'
import { Stopped } from '../../retrying.ts'
import type { Batch } from './buffer.ts'
import type { Committer } from './commit.ts'

export type InsertPoolDeps = {
  /** Maximum of concurrent inserts. */
  count: number
  signal: AbortSignal
  insert(batch: Batch): Promise<void>
  committer: Pick<Committer, 'track' | 'stored' | 'delivered' | 'commit'>
  /** Called when another insert may start. */
  onFree(): void
  /** Called with an error that a retry cannot fix. */
  onFault(error: unknown): void
}

export type InsertPool = {
  /**
   * Inserts a batch whose ranges are in the journal into the event store, and commits it once it is stored and
   * delivered. Resolves when that is done or has failed; never rejects.
   */
  launch(batch: Batch): Promise<void>
  isFree(): boolean
  /** Inserts in flight. */
  readonly busy: number
}

/**
 * Limits the inserts in flight. The next may start when a batch is stored, even if its deliveries or commit are
 * pending.
 */
export const createInsertPool = ({ count, signal, insert, committer, onFree, onFault }: InsertPoolDeps): InsertPool => {
  let busy = 0

  const store = async (batch: Batch): Promise<void> => {
    try {
      await insert(batch)
      faultPoint('pipeline.after-insert')
      committer.stored(batch.token)
    } finally {
      busy--
    }
  }

  const carry = async (batch: Batch): Promise<void> => {
    const stored = store(batch)
    const delivered = batch.deliveries.then(() => committer.delivered(batch.token))
    // If storing fails, nothing awaits this promise.
    delivered.catch(() => {})
    await stored
    onFree()
    await delivered
    await committer.commit()
  }

  return {
    launch(batch) {
      committer.track(batch)
      busy++
      return carry(batch).catch((error: unknown) => {
        if (!(error instanceof Stopped) && !signal.aborted) onFault(error)
      })
    },
    isFree: () => busy < count,
    get busy() {
      return busy
    },
  }
}
