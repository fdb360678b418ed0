import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { changeRun } from './change-run.ts'

/** Cancels a run. The run ends once the rows that were handed to delivery have an outcome. */
export const cancelSyncRun =
  (deps: Pick<ControlDeps, 'db' | 'jobs' | 'clock'>): Handler<typeof methods.syncRuns.cancel> =>
  (call) =>
    changeRun(deps, 'cancel', call)
