import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import type { Images } from '../images/images.ts'
import { readOrganization } from './read.ts'
import { replaceLogo } from './replace-logo.ts'

/** Removes the logo. Administrators only. */
export const removeLogo =
  (deps: Pick<ControlDeps, 'db' | 'clock'> & { images: Images }): Handler<typeof methods.organizations.removeLogo> =>
  async ({ actor, organization }) => {
    await replaceLogo(deps, { actor, organization }, '')
    return await readOrganization(deps.db, organization.id)
  }
