import { presentWithSchema, readSource } from '@tributary/configuration'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'

/** Reads a source with its schema. */
export const getSource =
  (deps: Pick<ControlDeps, 'db' | 'catalog' | 'secretBox' | 'logger'>): Handler<typeof methods.sources.get> =>
  async ({ workspace, params }) => {
    return presentWithSchema(deps, await readSource(deps.db, workspace.id, params.source))
  }
