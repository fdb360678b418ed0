import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { presentDryRun, readDryRun } from '@tributary/syncs'
import type { ControlDeps } from '../../deps.ts'

/** Returns a dry run with its progress or its result. */
export const getSyncDryRun =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.syncDryRuns.get> =>
  async ({ workspace, params }) =>
    presentDryRun(await readDryRun(db, workspace.id, params.dry_run))
