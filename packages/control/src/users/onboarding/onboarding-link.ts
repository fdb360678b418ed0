import { type Db, hashToken, isId, type Tx } from '@tributary/api-kit'
import { revokeOnboardingsOf } from '@tributary/billing'
import { notFound } from '@tributary/kernel'

/** Lifetime of an onboarding link, ms. */
export const onboardingLifeMs = 14 * 24 * 3_600_000

export type OnboardingRef = { id: string; userId: string; organizationId: string }

/**
 * Reads the onboarding of this link of this user. Throws 404 if it does not exist, or is used, revoked, or expired.
 * With `lock`, one of several concurrent calls continues, and the others wait until its transaction ends.
 */
export const requireOnboarding = async (
  db: Db | Tx,
  link: { userId: string; token: string },
  { now, lock = false }: { now: number; lock?: boolean },
): Promise<OnboardingRef> => {
  const row = isId(link.userId)
    ? await db
        .selectFrom('onboardings')
        .select(['id', 'user_id', 'organization_id'])
        .where('token_hash', '=', hashToken(link.token))
        .where('user_id', '=', link.userId)
        .where('complete_time', 'is', null)
        .where('revoke_time', 'is', null)
        .where('expire_time', '>', new Date(now))
        .$if(lock, (query) => query.forUpdate())
        .executeTakeFirst()
    : undefined
  if (row === undefined) throw notFound('The requested onboarding was revoked or expired')
  return { id: row.id, userId: row.user_id, organizationId: row.organization_id }
}

/** Ends the open onboarding links of a user who has set a password, and signs in with it from now on. */
export const revokeOnboardings = async (tx: Tx, userId: string, time: Date): Promise<void> => {
  await revokeOnboardingsOf(tx, 'user_id', userId, time)
}
