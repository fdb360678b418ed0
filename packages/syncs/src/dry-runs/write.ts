import type { Tx } from '@tributary/api-kit'
import { unfinishedDryRuns } from './read.ts'

/** Cancels a dry run that has not ended. */
export const cancelDryRun = async (tx: Tx, id: string, time: Date): Promise<void> => {
  await tx
    .updateTable('sync_dry_runs')
    .set({ state: 'canceled', finish_time: time })
    .where('id', '=', id)
    .where('state', 'in', [...unfinishedDryRuns])
    .execute()
}

/** Cancels the dry runs of models that have not ended, and removes the samples of all dry runs of the models. */
export const clearDryRuns = async (tx: Tx, models: readonly string[], time: Date): Promise<void> => {
  const dryRuns = tx.updateTable('sync_dry_runs').where('model_id', 'in', models)
  await dryRuns
    .set({ state: 'canceled', finish_time: time })
    .where('state', 'in', [...unfinishedDryRuns])
    .execute()
  await dryRuns.set({ samples: '[]' }).execute()
}
