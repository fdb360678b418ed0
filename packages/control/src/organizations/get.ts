import { everyRole, type methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { requireOrganization } from '../workspace-access.ts'
import { presentOrganization } from './present.ts'

/** Reads an organisation of one's own. */
export const getOrganization =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.organizations.get> =>
  async ({ actor, params }) => {
    const id = await requireOrganization(db, actor, params.organization, everyRole)
    return presentOrganization(
      await db.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    )
  }
