import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { changeState } from './change-state.ts'

/** Resumes a paused replay where it stopped. */
export const resumeReplay =
  (deps: Pick<ControlDeps, 'db' | 'eventStore' | 'clock'>): Handler<typeof methods.replays.resume> =>
  (call) =>
    changeState(deps, 'resume', call)
