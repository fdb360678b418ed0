import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { lastUploads, readDataSource } from '@tributary/syncs'
import type { ControlDeps } from '../deps.ts'

/** Returns the latest uploads of a data source. */
export const getUploads =
  (deps: Pick<ControlDeps, 'db'>): Handler<typeof methods.uploads.get> =>
  async ({ workspace, params }) => {
    const { id } = await readDataSource(deps.db, workspace.id, params.data_source)
    return { uploads: await lastUploads(deps, id) }
  }
