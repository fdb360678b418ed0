import { presentUser, userColumns } from '@tributary/api-kit'
import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../../deps.ts'
import { readOrganization } from '../../organizations/read.ts'
import { requireOnboarding } from './onboarding-link.ts'

/** Returns the user and the organization of an onboarding link to anyone who has the link. */
export const startOnboarding =
  ({ db, clock }: Pick<ControlDeps, 'db' | 'clock'>): Handler<typeof methods.users.startOnboarding> =>
  async ({ params, query }) => {
    const link = { userId: params.user, token: query.onboarding_token }
    const { userId, organizationId } = await requireOnboarding(db, link, { now: clock() })
    const user = await db.selectFrom('users').select(userColumns).where('id', '=', userId).executeTakeFirstOrThrow()
    return { user: presentUser(user), organization: await readOrganization(db, organizationId) }
  }
