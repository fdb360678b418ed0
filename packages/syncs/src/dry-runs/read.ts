import { type Db, isId } from '@tributary/api-kit'
import { resourceNames, type SyncDryRun, syncDryRun } from '@tributary/contract'
import { notFound } from '@tributary/kernel'
import type { SyncDryRunsTable } from '@tributary/storage'
import type { Selectable } from 'kysely'
import { syncName } from '../read.ts'

export type SyncDryRunRow = Selectable<SyncDryRunsTable>

/** The states of a dry run that is not finished. */
export const unfinishedDryRuns = ['queued', 'reading', 'comparing'] as const

export const dryRunName = (workspace: string, dry_run: string): string =>
  resourceNames.syncDryRun.format({ workspace, dry_run })

/** Reads a dry run of this workspace. Throws 404 if it does not exist or belongs to another workspace. */
export const readDryRun = async (db: Db, workspaceId: string, id: string): Promise<SyncDryRunRow> => {
  const row = isId(id)
    ? await db
        .selectFrom('sync_dry_runs')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .executeTakeFirst()
    : undefined
  if (row === undefined) throw notFound('dry run not found')
  return row
}

/** Returns the number of events that the run would add to the usage of the period. */
const eventsOf = ({ source_id }: SyncDryRunRow, counts: SyncDryRun['counts']): number | null => {
  if (counts === null) return null
  return source_id === null ? 0 : counts.added + counts.changed + counts.updated + counts.sent_again - counts.history
}

/** Returns a dry run in the form of the API. */
export const presentDryRun = (row: SyncDryRunRow): SyncDryRun => {
  const counts = row.counts === null ? null : syncDryRun.shape.counts.parse(JSON.parse(row.counts))
  return {
    name: dryRunName(row.workspace_id, row.id),
    state: row.state,
    sync: row.sync_id === null ? '' : syncName(row.workspace_id, row.sync_id),
    read: Number(row.read_rows),
    counts,
    usage_events: eventsOf(row, counts),
    asks: row.asks,
    samples: syncDryRun.shape.samples.parse(JSON.parse(row.samples)),
    message: row.message,
    create_time: row.create_time.toISOString(),
    finish_time: row.finish_time?.toISOString() ?? null,
  }
}
