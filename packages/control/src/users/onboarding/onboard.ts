import {
  audit,
  insertWorkspace,
  newToken,
  onboardingMail,
  presentUser,
  queueMail,
  type Tx,
  type UserRow,
  userColumns,
} from '@tributary/api-kit'
import {
  agreedAmount,
  type BillingDeps,
  insertOnboarding,
  requireAgreedAmounts,
  settleOnboarding,
} from '@tributary/billing'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { conflict, newId } from '@tributary/kernel'
import { sql } from 'kysely'
import type { ControlDeps } from '../../deps.ts'
import { presentOrganization, presentWorkspace } from '../../organizations/present.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import { onboardingLifeMs } from './onboarding-link.ts'

/**
 * Returns the user of an address. Makes one if there is none, or if the existing ones belong to other onboardings.
 * Throws 409 for a user who has ever signed in, because the link would give that account to its holder.
 */
const takeUser = async (
  tx: Tx,
  given: { email: string; first_name: string; last_name: string; create_time: Date },
): Promise<UserRow> => {
  const made = await tx
    .insertInto('users')
    .values({ id: newId(), password_hash: null, ...given })
    .onConflict((existing) => existing.expression(sql`lower(email)`).doNothing())
    .returning(userColumns)
    .executeTakeFirst()
  if (made !== undefined) return made
  const { password_hash, email_verified_at, ...user } = await tx
    .selectFrom('users')
    .select([...userColumns, 'password_hash', 'email_verified_at'])
    .where(sql`lower(email)`, '=', given.email.toLowerCase())
    .forUpdate()
    .executeTakeFirstOrThrow()
  if (password_hash === null && email_verified_at === null) return user
  const text = 'There is an account with this address already'
  throw conflict('ALREADY_EXISTS', text, { email: text })
}

type OnboardDeps = Pick<ControlDeps, 'jobs' | 'publicUrl' | 'logger'> &
  BillingDeps & { sessions: Pick<Sessions, 'refresh'> }

/** Mails the link with which a user sets up the account. */
const mailLink = async (
  tx: Tx,
  { jobs, publicUrl }: Pick<OnboardDeps, 'jobs' | 'publicUrl'>,
  given: {
    user: UserRow
    first_name: string
    organization: { title: string }
    token: string
    create_time: Date
    expire_time: Date
  },
): Promise<void> => {
  const { user, first_name: firstName, organization, token, create_time: time, expire_time: expireTime } = given
  const page = new URL(`${publicUrl()}/${resourceNames.user.format({ user: user.id })}/onboarding/complete`)
  page.searchParams.set('token', token)
  const mail = onboardingMail({ firstName, organization: organization.title, url: page.href, expireTime })
  await queueMail(tx, jobs, { recipient: user.email, mail, time, expireTime })
}

/**
 * Makes an organization with a workspace for a user who has never signed in, and makes the user its administrator.
 * Mails the link with which the user sets up the account. Platform admins only.
 */
export const onboard =
  (deps: OnboardDeps): Handler<typeof methods.users.onboard> =>
  async ({ body }) => {
    const { db, clock, sessions, publicUrl, payment, logger } = deps
    const create_time = new Date(clock())
    const expire_time = new Date(create_time.getTime() + onboardingLifeMs)
    const { token, hash } = newToken()
    const id = newId()
    const { email, first_name, last_name, yearly_amount, setup_amount } = body
    if (payment !== undefined) requireAgreedAmounts(body)
    const paid = agreedAmount(setup_amount) > 0 || agreedAmount(yearly_amount) > 0
    const answer = await db.transaction().execute(async (tx) => {
      const user = await takeUser(tx, { email, first_name, last_name, create_time })
      const organization = await tx
        .insertInto('organizations')
        .values({ id: newId(), title: body.organization_title, create_time })
        .returningAll()
        .executeTakeFirstOrThrow()
      const workspace = await insertWorkspace(tx, {
        id: newId(),
        organization_id: organization.id,
        title: 'Main',
        create_time,
      })
      await tx
        .insertInto('memberships')
        .values({ id: newId(), organization_id: organization.id, user_id: user.id, role: 'ORG_ADMIN', create_time })
        .execute()
      await insertOnboarding(tx, {
        id,
        user_id: user.id,
        organization_id: organization.id,
        token_hash: hash,
        yearly_amount,
        setup_amount,
        create_time,
        expire_time,
        // Without a payment provider, the terms are only stored.
        billing: paid && payment !== undefined ? 'open' : null,
      })
      await mailLink(tx, deps, { user, first_name, organization, token, create_time, expire_time })
      const detail = { title: organization.title, email: user.email, yearly_amount, setup_amount }
      const scope = { organizationId: organization.id, workspaceId: workspace.id }
      await audit(tx, resourceNames.user.format({ user: user.id }), detail, scope)
      return {
        user: presentUser(user),
        organization: presentOrganization({ ...organization, plan: null }),
        workspace: presentWorkspace(workspace, { ...organization, plan: null }),
        onboarding_token: token,
      }
    })
    sessions.refresh()
    try {
      await settleOnboarding(deps, id)
    } catch (error) {
      // The organization exists already; the invoice is made once the provider can be reached.
      logger.warn({ id, err: error }, 'a set-up fee could not be invoiced yet')
    }
    const { invoice_url } = await db
      .selectFrom('onboardings')
      .select('invoice_url')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    return { ...answer, invoice_url: invoice_url === null ? '' : new URL(invoice_url, publicUrl()).href }
  }
