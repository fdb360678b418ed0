import { audit } from '@tributary/api-kit'
import { computedTraitName, markTraitDeleted, readComputedTrait } from '@tributary/audiences'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'

/**
 * Deletes a computed trait, even during its computation. Its values, which may be millions, are removed in the
 * background.
 */
export const deleteComputedTrait =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.computedTraits.delete> =>
  async ({ workspace, params }) => {
    const { id, trait } = await readComputedTrait(db, workspace.id, params.computed_trait)
    const time = new Date(clock())
    await db.transaction().execute(async (tx) => {
      if (!(await markTraitDeleted(tx, id, time))) return
      await audit(tx, computedTraitName(workspace.id, id), { trait })
    })
    return {}
  }
