import { audit } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { modelName, type SessionDeps } from '@tributary/syncs'
import type { ControlDeps } from '../../deps.ts'
import { checkTrial, tryRow } from './try-row.ts'

/** Shows how a run would send one row. Records which user read a row of which model. */
export const previewSyncRow =
  (deps: SessionDeps & Pick<ControlDeps, 'clock'>): Handler<typeof methods.syncTestRows.preview> =>
  async ({ workspace, body, signal }) => {
    const trial = await checkTrial(deps, workspace, body)
    await deps.db
      .transaction()
      .execute((tx) => audit(tx, modelName(workspace.id, trial.model.id), { destination: body.destination }))
    return await tryRow(deps, trial, signal)
  }
