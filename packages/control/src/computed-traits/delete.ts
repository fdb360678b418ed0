import { audit } from '@tributary/api-kit'
import { computedTraitName, markTraitDeleted, readComputedTrait } from '@tributary/audiences'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'

/** Deletes a computed trait, also while it is computed. Its values go in the background: there may be millions. */
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
