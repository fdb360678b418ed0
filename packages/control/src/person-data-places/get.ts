import type { Db } from '@tributary/api-kit'
import {
  defaultPersonDataPaths,
  type methods,
  type PersonDataPlaces,
  personDataKinds,
  personDataPathsOf,
  resourceNames,
} from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'

/** Reads the paths of a workspace's data of people, with defaults for kinds that it has not changed. */
export const readPersonDataPlaces = async (db: Db, workspaceId: string): Promise<PersonDataPlaces> => {
  const row = await db
    .selectFrom('person_data_places')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
  const paths = personDataPathsOf(row?.places)
  const places = Object.fromEntries(personDataKinds.map(({ kind }) => [kind, [...paths[kind]]]))
  return {
    name: resourceNames.personDataPlaces.format({ workspace: workspaceId }),
    places: places as PersonDataPlaces['places'],
    changed: personDataKinds.flatMap(({ kind }) => (paths[kind] === defaultPersonDataPaths[kind] ? [] : [kind])),
    revision: row?.revision ?? 0,
    update_time: row?.update_time.toISOString() ?? null,
  }
}

/** Returns the paths at which a workspace has the data of people. */
export const getPersonDataPlaces =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.personDataPlaces.get> =>
  ({ workspace }) =>
    readPersonDataPlaces(db, workspace.id)
