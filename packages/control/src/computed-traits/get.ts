import { presentComputedTrait, readComputedTrait } from '@tributary/audiences'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'

/** Returns a computed trait with its definition and the progress of its computation. */
export const getComputedTrait =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.computedTraits.get> =>
  async ({ workspace, params }) =>
    await presentComputedTrait(db, await readComputedTrait(db, workspace.id, params.computed_trait))
