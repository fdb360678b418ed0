import { audit } from '@tributary/api-kit'
import { type SyncCursor, type SyncDryRun, type SyncField, type SyncMode, syncLimits } from '@tributary/contract'
import type { WorkspaceRef } from '@tributary/http'
import { AppError, newId } from '@tributary/kernel'
import type { JobKind } from '@tributary/storage'
import { z } from 'zod'
import type { SyncServices } from '../services.ts'
import { dryRunName, presentDryRun, readDryRun, unfinishedDryRuns } from './read.ts'

const dryRunData = z.object({ dry_run: z.string() })

/** The job of a dry run, which reads and compares like a run but sends nothing. */
export const dryRunJob: JobKind<z.output<typeof dryRunData>> = {
  name: 'dry-run-sync',
  data: dryRunData,
  // A user waits for the result, so a permanent error is reported soon.
  retries: { most: 2, pauseSeconds: 1, maxPauseSeconds: 5 },
  leaseSeconds: 30,
  maxSeconds: 60 * 60,
  atOnce: 2,
  exclusive: false,
  keepSeconds: 60 * 60,
}

type Given = {
  sync_id: string | null
  model_id: string
  source_id: string | null
  destination_id: string | null
  owns_object: boolean
  cursor: SyncCursor | null
  object: string
  object_name: string
  mode: SyncMode
  identifier: string
  fields: readonly SyncField[]
  guard_percent: number
  resync: boolean
}

/**
 * Starts a dry run, and records which user reads rows of which model. Throws 429 if the workspace has too many dry
 * runs.
 */
export const beginDryRun = async (
  { db, jobs, clock }: Pick<SyncServices, 'db' | 'jobs' | 'clock'>,
  workspace: WorkspaceRef,
  { fields, cursor, ...given }: Given,
): Promise<SyncDryRun> => {
  const id = newId()
  const time = new Date(clock())
  await db.transaction().execute(async (tx) => {
    // The lock serializes the count of dry runs.
    await tx.selectFrom('workspaces').select('id').where('id', '=', workspace.id).forUpdate().execute()
    const open = await tx
      .selectFrom('sync_dry_runs')
      .select('id')
      .where('workspace_id', '=', workspace.id)
      .where('state', 'in', [...unfinishedDryRuns])
      .execute()
    if (open.length >= syncLimits.dryRuns)
      throw new AppError(
        429,
        'WORKSPACE_BUSY',
        `A workspace can have at most ${syncLimits.dryRuns} dry runs at a time. Wait for one, or cancel it`,
        { retry_after: '10' },
      )
    await tx
      .insertInto('sync_dry_runs')
      .values({
        ...given,
        id,
        workspace_id: workspace.id,
        fields: JSON.stringify(fields),
        cursor: cursor && JSON.stringify(cursor),
        state: 'queued',
        counts: null,
        create_time: time,
      })
      .execute()
    await jobs.send(tx, dryRunJob, { dry_run: id }, { id })
    await audit(tx, dryRunName(workspace.id, id), { model: given.model_id, sync: given.sync_id })
  })
  return presentDryRun(await readDryRun(db, workspace.id, id))
}
