import type { Db } from '@tributary/api-kit'
import { type PersonDataPaths, personDataPathsOf } from '@tributary/contract'

/** Reads the paths at which a workspace has the data of people. */
export const readPersonData = async (db: Db, workspaceId: string): Promise<PersonDataPaths> => {
  const row = await db
    .selectFrom('person_data_places')
    .select('places')
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
  return personDataPathsOf(row?.places)
}
