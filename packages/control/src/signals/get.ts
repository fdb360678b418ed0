import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { readSignal } from '@tributary/signals'
import { type PresentDeps, presentSignal } from './present.ts'

/** A signal with its platforms. */
export const getSignal =
  (deps: PresentDeps): Handler<typeof methods.signals.get> =>
  async ({ workspace, params }) =>
    await presentSignal(deps, await readSignal(deps.db, workspace.id, params.signal))
