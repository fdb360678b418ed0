import { type Tx, type UserRow, userColumns } from '@tributary/api-kit'
import { type BillingDeps, markOnboardingComplete, settleOnboarding } from '@tributary/billing'
import { isPublicMailDomain, mailDomain, type methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { sql } from 'kysely'
import type { AccessChanged, ControlDeps } from '../../deps.ts'
import { readOrganization } from '../../organizations/read.ts'
import type { AnswerLogin } from '../../sessions/answer-login.ts'
import type { Sessions } from '../../sessions/sessions.ts'
import type { Passwords } from '../sign-in/passwords.ts'
import { requireOnboarding, revokeOnboardings } from './onboarding-link.ts'

/**
 * Opens the organization to people of the domain, unless any user can get an address at this domain. Returns the domain
 * that was set.
 */
const openToDomain = async (tx: Tx, organizationId: string, email: string): Promise<string> => {
  const domain = mailDomain(email)
  if (isPublicMailDomain(domain)) return ''
  await tx.updateTable('organizations').set({ auto_join_domain: domain }).where('id', '=', organizationId).execute()
  return domain
}

/**
 * Sets the name and password of the user of an onboarding link, starts a session, and ends earlier sessions. A link can
 * be used once: of several concurrent calls, one succeeds and the others fail.
 */
export const completeOnboarding =
  ({
    db,
    clock,
    passwords,
    sessions,
    answerLogin,
    accessChanged,
    billing,
    payment,
    logger,
  }: Pick<ControlDeps, 'logger'> &
    BillingDeps & {
      passwords: Passwords
      sessions: Sessions
      answerLogin: AnswerLogin
      accessChanged: AccessChanged
    }): Handler<typeof methods.users.completeOnboarding> =>
  async ({ params, body, client }) => {
    const link = { userId: params.user, token: body.onboarding_token }
    // The link is checked before the expensive hash, so that made-up links cost little.
    await requireOnboarding(db, link, { now: clock() })
    const password_hash = await passwords.hash(body.password)
    const answer = await db.transaction().execute(async (tx) => {
      const time = new Date(clock())
      const onboarding = await requireOnboarding(tx, link, { now: time.getTime(), lock: true })
      await markOnboardingComplete(tx, onboarding.id, time)
      await revokeOnboardings(tx, onboarding.userId, time)
      const user: UserRow = await tx
        .updateTable('users')
        .set({
          first_name: body.first_name,
          last_name: body.last_name,
          password_hash,
          // The address counts as verified: platform admins made the account for it and sent the link to it.
          email_verified_at: sql<Date>`coalesce(email_verified_at, ${time})`,
        })
        .where('id', '=', onboarding.userId)
        .returning(userColumns)
        .executeTakeFirstOrThrow()
      const domain = body.organization_auto_join ? await openToDomain(tx, onboarding.organizationId, user.email) : ''
      await sessions.endOthers(tx, user.id, undefined)
      const login = await answerLogin(tx, {
        user,
        client,
        action: 'users.completeOnboarding',
        detail: { organization_id: onboarding.organizationId, auto_join_domain: domain },
      })
      return { login, organizationId: onboarding.organizationId, onboardingId: onboarding.id }
    })
    accessChanged(params.user)
    try {
      await settleOnboarding({ db, clock, billing, payment }, answer.onboardingId)
    } catch (error) {
      // The subscription starts once the provider can be reached.
      logger.warn({ id: answer.onboardingId, err: error }, 'an onboarding could not be subscribed yet')
    }
    return { ...answer.login, organization: await readOrganization(db, answer.organizationId) }
  }
