import { audit, idFor, type Tx } from '@tributary/api-kit'
import { computedTraitName, insertComputedTrait, presentComputedTrait, readComputedTrait } from '@tributary/audiences'
import { computedTraitLimits, type methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { badRequest, conflict } from '@tributary/kernel'
import { sql } from 'kysely'
import { warnOfDefinition } from '../audiences/never-received.ts'
import type { ControlDeps } from '../deps.ts'

type Known = { id: string; trait: string; delete_time: Date | null }

/** Throws 409 if events or another computed trait already give a value to a trait with this name. */
const checkName = async (tx: Tx, workspaceId: string, trait: string, known: readonly Known[]): Promise<void> => {
  const taken = (text: string) => conflict('ALREADY_EXISTS', text, { trait: text })
  const same = known.find((each) => each.trait === trait)
  if (same?.delete_time === null) throw taken(`The computed trait ${trait} already exists. Choose another name`)
  if (same !== undefined) throw taken(`The values of a deleted trait ${trait} are being removed. Try again in a moment`)
  const { rows } = await sql`
    select from profile_traits
    where workspace_id = ${workspaceId}::uuid and name = ${trait} and due is null limit 1`.execute(tx)
  if (rows.length > 0) throw taken(`Events already send the trait ${trait}. Choose another name`)
}

/** Stores a computed trait. The background computation of traits finds it and computes all profiles. */
export const createComputedTrait =
  ({
    db,
    eventStore,
    clock,
  }: Pick<ControlDeps, 'db' | 'eventStore' | 'clock'>): Handler<typeof methods.computedTraits.create> =>
  async ({ actor, workspace, body, signal }) => {
    const id = idFor(body.request_id, 'computedTraits', workspace.id)
    const { trait, definition } = body
    const time = new Date(clock())
    await db.transaction().execute(async (tx) => {
      // The lock serializes concurrent calls, so that they neither exceed the limit nor use a name twice.
      await tx.selectFrom('workspaces').select('id').where('id', '=', workspace.id).forUpdate().execute()
      const known = await tx
        .selectFrom('computed_traits')
        .select(['id', 'trait', 'delete_time'])
        .where('workspace_id', '=', workspace.id)
        .execute()
      if (known.some((each) => each.id === id)) return
      if (known.filter(({ delete_time }) => delete_time === null).length >= computedTraitLimits.traits)
        throw badRequest('LIMIT_REACHED', `A workspace can have at most ${computedTraitLimits.traits} computed traits`)
      await checkName(tx, workspace.id, trait, known)
      await insertComputedTrait(tx, {
        id,
        workspace_id: workspace.id,
        trait,
        definition: JSON.stringify(definition),
        author_id: actor.userId,
        create_time: time,
        update_time: time,
      })
      await audit(tx, computedTraitName(workspace.id, id), { trait })
    })
    const created = await presentComputedTrait(db, await readComputedTrait(db, workspace.id, id))
    const warnings = await warnOfDefinition({ db, eventStore }, definition, { workspaceId: workspace.id, signal })
    return { ...created, warnings }
  }
