import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { changeState } from './change-state.ts'

/** Ends a replay for good. */
export const cancelReplay =
  (deps: Pick<ControlDeps, 'db' | 'eventStore' | 'clock'>): Handler<typeof methods.replays.cancel> =>
  (call) =>
    changeState(deps, 'cancel', call)
