import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'
import type { Images } from '../images/images.ts'
import { countUpload } from '../images/upload-limit.ts'
import { readOrganization } from './read.ts'
import { replaceLogo } from './replace-logo.ts'

/** Replaces the logo. Administrators only. */
export const uploadLogo =
  (
    deps: Pick<ControlDeps, 'db' | 'clock' | 'counters'> & { images: Images },
  ): Handler<typeof methods.organizations.uploadLogo> =>
  async ({ actor, organization, body }) => {
    await countUpload(deps.counters, actor.userId)
    const key = await deps.images.store('logos', body.content)
    await replaceLogo(deps, { actor, organization }, key)
    return await readOrganization(deps.db, organization.id)
  }
