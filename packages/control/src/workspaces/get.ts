import type { Db } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { presentWorkspace } from '../organizations/present.ts'
import { selectOrganizations } from '../organizations/select.ts'

/** Reads a workspace and its organization by the ID of the workspace. Throws if it does not exist. */
export const readWorkspace = async (db: Db, id: string): ReturnType<Handler<typeof methods.workspaces.get>> => {
  const row = await db.selectFrom('workspaces').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const organization = await selectOrganizations(db)
    .where('organizations.id', '=', row.organization_id)
    .executeTakeFirstOrThrow()
  return presentWorkspace(row, organization)
}

/** Reads a workspace with its organization. */
export const getWorkspace =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.workspaces.get> =>
  async ({ workspace: { id } }) => {
    return await readWorkspace(db, id)
  }
