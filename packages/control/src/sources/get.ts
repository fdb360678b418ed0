import { everyRole, type methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { requireWorkspace } from '../workspace-access.ts'
import { presentWithSchema, readSource } from './read.ts'

/** Reads a source with its schema. */
export const getSource =
  ({ db, catalog }: Pick<ControlDeps, 'db' | 'catalog'>): Handler<typeof methods.sources.get> =>
  async ({ actor, params }) => {
    const workspace = await requireWorkspace(db, actor, params.workspace, everyRole)
    return presentWithSchema(db, await readSource(db, workspace.id, params.source), catalog)
  }
