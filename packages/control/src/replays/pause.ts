import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { changeState } from './change-state.ts'

/** Pauses a replay until it is resumed. */
export const pauseReplay =
  (deps: Pick<ControlDeps, 'db' | 'eventStore' | 'clock'>): Handler<typeof methods.replays.pause> =>
  (call) =>
    changeState(deps, 'pause', call)
