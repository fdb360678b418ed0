import { type Db, requireWorkspace } from '@tributary/api-kit'
import { everyRole, type methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { presentWorkspace } from '../organizations/present.ts'

/** A workspace and its organisation, by id. Throws when it is absent. */
export const readWorkspace = async (db: Db, id: string): ReturnType<Handler<typeof methods.workspaces.get>> => {
  const row = await db.selectFrom('workspaces').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const organization = await db
    .selectFrom('organizations')
    .selectAll()
    .where('id', '=', row.organization_id)
    .executeTakeFirstOrThrow()
  return presentWorkspace(row, organization)
}

/** Reads a workspace with its organisation. */
export const getWorkspace =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.workspaces.get> =>
  async ({ actor, params }) => {
    const { id } = await requireWorkspace(db, actor, params.workspace, everyRole)
    return await readWorkspace(db, id)
  }
