import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { changeRun } from './change-run.ts'

/** Approves a run that waits for approval, so that its planned changes are sent. */
export const approveSyncRun =
  (deps: Pick<ControlDeps, 'db' | 'jobs' | 'clock'>): Handler<typeof methods.syncRuns.approve> =>
  (call) =>
    changeRun(deps, 'approve', call)
