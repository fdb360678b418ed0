import { presentAudience, readAudience } from '@tributary/audiences'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'

/** Returns an audience with its query and the resources that depend on it. */
export const getAudience =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.audiences.get> =>
  async ({ workspace, params }) =>
    await presentAudience(db, await readAudience(db, workspace.id, params.audience))
