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
 * The user of the address, made if there is none, or when the only ones are of other onboardings. Throws 409 for a user
 * who has ever logged in: the link would give the account to its holder.
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

/**
 * Makes an organisation with a workspace for a user who has not logged in yet, makes the user its administrator, and mails the link
 * that sets up the account. Platform admins only.
 */
export const onboard =
  ({
    db,
    jobs,
    clock,
    sessions,
    publicUrl,
    billing,
    payment,
    logger,
  }: Pick<ControlDeps, 'jobs' | 'publicUrl' | 'logger'> &
    BillingDeps & { sessions: Pick<Sessions, 'refresh'> }): Handler<typeof methods.users.onboard> =>
  async ({ body }) => {
    const create_time = new Date(clock())
    const expire_time = new Date(create_time.getTime() + onboardingLifeMs)
    const { token, hash } = newToken()
    const id = newId()
    if (payment !== undefined) requireAgreedAmounts(body)
    const paid = agreedAmount(body.setup_amount) > 0 || agreedAmount(body.yearly_amount) > 0
    const answer = await db.transaction().execute(async (tx) => {
      const { email, first_name, last_name } = body
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
        yearly_amount: body.yearly_amount,
        setup_amount: body.setup_amount,
        create_time,
        expire_time,
        // Without a provider of payments, the terms are only stored.
        billing: paid && payment !== undefined ? 'open' : null,
      })
      const page = new URL(`${publicUrl()}/${resourceNames.user.format({ user: user.id })}/onboarding/complete`)
      page.searchParams.set('token', token)
      await queueMail(tx, jobs, {
        recipient: user.email,
        mail: onboardingMail({
          firstName: first_name,
          organization: organization.title,
          url: page.href,
          expireTime: expire_time,
        }),
        time: create_time,
        expireTime: expire_time,
      })
      await audit(
        tx,
        resourceNames.user.format({ user: user.id }),
        {
          title: organization.title,
          email: user.email,
          yearly_amount: body.yearly_amount,
          setup_amount: body.setup_amount,
        },
        { organizationId: organization.id, workspaceId: workspace.id },
      )
      return {
        user: presentUser(user),
        organization: presentOrganization({ ...organization, plan: null }),
        workspace: presentWorkspace(workspace, { ...organization, plan: null }),
        onboarding_token: token,
      }
    })
    sessions.refresh()
    try {
      await settleOnboarding({ db, clock, billing, payment }, id)
    } catch (error) {
      // The organization is made; the invoice follows as soon as the provider can be reached.
      logger.warn({ id, err: error }, 'a set-up fee could not be invoiced yet')
    }
    const { invoice_url } = await db
      .selectFrom('onboardings')
      .select('invoice_url')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    return { ...answer, invoice_url: invoice_url === null ? '' : new URL(invoice_url, publicUrl()).href }
  }
