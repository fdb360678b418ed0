import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { setPaused } from './set-paused.ts'

/** Resumes the schedule of a sync. */
export const resumeSync =
  (deps: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.syncs.resume> =>
  (call) =>
    setPaused(deps, 'resume', call)
