import type { Tx } from '@tributary/api-kit'
import { endedSyncRuns } from '@tributary/contract'
import { newId } from '@tributary/kernel'
import type { JobKind, JobSender } from '@tributary/storage'
import { z } from 'zod'
import type { SyncRunRow } from './read.ts'

const syncJobData = z.object({ sync: z.string() })

/** Continues the run of a sync until it has ended or needs a decision of a user. */
export const syncJob: JobKind<z.output<typeof syncJobData>> = {
  name: 'run-sync',
  data: syncJobData,
  // If all retries fail, the check of each minute starts the job again, so that planned rows are sent later.
  retries: { most: 5, pauseSeconds: 2, maxPauseSeconds: 60 },
  leaseSeconds: 30,
  maxSeconds: 6 * 60 * 60,
  atOnce: 4,
  exclusive: true,
  keepSeconds: 60 * 60,
}

/** Continues the run of a sync after the commit. Does nothing if a job for the sync is already queued. */
export const queueSync = async (tx: Parameters<JobSender['send']>[0], jobs: JobSender, sync: string): Promise<void> => {
  await jobs.send(tx, syncJob, { sync }, { key: sync })
}

/** Reads the active run of a sync, which is the run that has not ended. */
export const activeRun = (tx: Tx, sync: string): Promise<SyncRunRow | undefined> =>
  tx
    .selectFrom('sync_runs')
    .selectAll()
    .where('sync_id', '=', sync)
    .where('state', 'not in', [...endedSyncRuns])
    .executeTakeFirst()

/**
 * Starts a run in the caller's transaction. Starts of the same sync are serialized. Returns the ID of the run;
 * undefined if another run has not ended, or the sync was deleted.
 */
export const beginRun = async (
  tx: Tx,
  jobs: JobSender,
  sync: string,
  given: { trigger: SyncRunRow['trigger']; resync: boolean; time: Date; requestKey?: string | null; rerunOf?: string },
): Promise<string | undefined> => {
  const row = await tx
    .selectFrom('syncs')
    .select(['workspace_id', 'run_number'])
    .where('id', '=', sync)
    .forUpdate()
    .executeTakeFirst()
  if (row === undefined || (await activeRun(tx, sync)) !== undefined) return undefined
  const id = newId()
  const number = row.run_number + 1
  await tx
    .insertInto('sync_runs')
    .values({
      id,
      sync_id: sync,
      workspace_id: row.workspace_id,
      number,
      state: 'queued',
      trigger: given.trigger,
      resync: given.resync,
      request_key: given.requestKey ?? null,
      rerun_of: given.rerunOf ?? null,
      planned: null,
      counts: null,
      approved_by: null,
      create_time: given.time,
    })
    .execute()
  await tx.updateTable('syncs').set({ run_number: number }).where('id', '=', sync).execute()
  await queueSync(tx, jobs, sync)
  return id
}
