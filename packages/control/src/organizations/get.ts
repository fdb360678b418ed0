import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import { readOrganization } from './read.ts'

/** Returns an organization of the caller. */
export const getOrganization =
  ({ db }: Pick<ControlDeps, 'db'>): Handler<typeof methods.organizations.get> =>
  async ({ organization: { id } }) => {
    return await readOrganization(db, id)
  }
