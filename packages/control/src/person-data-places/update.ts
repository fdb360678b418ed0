import { audit, changesOf } from '@tributary/api-kit'
import { defaultPersonDataPaths, type methods, type PersonDataPaths, personDataKinds } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { conflict } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { readPersonDataPlaces } from './get.ts'

const isDefault = (kind: keyof PersonDataPaths, paths: readonly string[]): boolean =>
  JSON.stringify(paths) === JSON.stringify(defaultPersonDataPaths[kind])

/**
 * Replaces the paths at which a workspace has the data of people. Kinds with the default paths are not stored, so they
 * follow later defaults.
 */
export const updatePersonDataPlaces =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.personDataPlaces.update> =>
  async ({ workspace, body }) => {
    await db.transaction().execute(async (tx) => {
      await tx.selectFrom('workspaces').select('id').where('id', '=', workspace.id).forUpdate().execute()
      const before = await readPersonDataPlaces(tx, workspace.id)
      if (body.revision !== undefined && body.revision !== before.revision)
        throw conflict('PLACES_CHANGED', 'Someone else changed the paths. Reload them', {
          revision: String(before.revision),
        })
      const own = personDataKinds.flatMap(({ kind }) => {
        const paths = body.places[kind]
        return paths === undefined || isDefault(kind, paths) ? [] : [[kind, paths] as const]
      })
      const stored = Object.fromEntries(own)
      const changes = Object.fromEntries(
        personDataKinds.flatMap(({ kind }) => {
          const paths = stored[kind] ?? [...defaultPersonDataPaths[kind]]
          return JSON.stringify(paths) === JSON.stringify(before.places[kind]) ? [] : [[kind, paths]]
        }),
      )
      const next = {
        places: JSON.stringify(stored),
        revision: before.revision + 1,
        update_time: new Date(clock()),
      }
      await tx
        .insertInto('person_data_places')
        .values({ workspace_id: workspace.id, ...next })
        .onConflict((on) => on.column('workspace_id').doUpdateSet(next))
        .execute()
      await audit(tx, before.name, changes, { changes: changesOf({ ...before.places }, changes) })
    })
    return await readPersonDataPlaces(db, workspace.id)
  }
