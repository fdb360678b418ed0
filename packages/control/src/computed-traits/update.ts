import { audit, changesOf } from '@tributary/api-kit'
import { computedTraitName, presentComputedTrait, readComputedTrait, setComputedTrait } from '@tributary/audiences'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { conflict, notFound } from '@tributary/kernel'
import { warnOfDefinition } from '../audiences/never-received.ts'
import type { ControlDeps } from '../deps.ts'

/**
 * Changes a definition and computes all profiles with the new one. If two changes are based on the same version, the
 * second one fails with 409.
 */
export const updateComputedTrait =
  ({
    db,
    eventStore,
    clock,
  }: Pick<ControlDeps, 'db' | 'eventStore' | 'clock'>): Handler<typeof methods.computedTraits.update> =>
  async ({ actor, workspace, params, body, signal }) => {
    const { id } = await readComputedTrait(db, workspace.id, params.computed_trait)
    const { definition, version } = body
    const time = new Date(clock())
    await db.transaction().execute(async (tx) => {
      const row = await tx
        .selectFrom('computed_traits')
        .selectAll()
        .where('id', '=', id)
        .where('delete_time', 'is', null)
        .forUpdate()
        .executeTakeFirst()
      if (row === undefined) throw notFound('computed trait not found')
      if (definition !== undefined && version !== undefined && version !== row.version)
        throw conflict('COMPUTED_TRAIT_CHANGED', 'Someone else changed this computed trait. Reload it', {
          version: String(row.version),
        })
      if (definition === undefined || JSON.stringify(definition) === row.definition) return
      const next = row.version + 1
      await setComputedTrait(tx, id, {
        definition: JSON.stringify(definition),
        version: next,
        pass_time: null,
        pass_done: 0,
        pass_total: 0,
        failure: '',
        retry_time: null,
        author_id: actor.userId,
        update_time: time,
      })
      await audit(
        tx,
        computedTraitName(workspace.id, id),
        { version: next },
        { changes: changesOf({ definition: JSON.parse(row.definition) }, { definition }) },
      )
    })
    const updated = await presentComputedTrait(db, await readComputedTrait(db, workspace.id, id))
    const warnings =
      definition && (await warnOfDefinition({ db, eventStore }, definition, { workspaceId: workspace.id, signal }))
    return { ...updated, warnings: warnings ?? [] }
  }
