import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { setPaused } from './set-paused.ts'

/** Pauses the schedule of a sync. */
export const pauseSync =
  (deps: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.syncs.pause> =>
  (call) =>
    setPaused(deps, 'pause', call)
