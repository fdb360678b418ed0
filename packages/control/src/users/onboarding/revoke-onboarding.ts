import { audit, isId } from '@tributary/api-kit'
import { type BillingDeps, revokeOpenOnboarding, settleOnboarding } from '@tributary/billing'
import { type methods, resourceNames } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import { notFound } from '@tributary/kernel'
import type { ControlDeps } from '../../deps.ts'
import { presentOnboarding, selectOnboardings } from './list-onboardings.ts'

/** Revokes an open onboarding link and voids its set-up invoice. Platform admins only. */
export const revokeOnboarding =
  (deps: BillingDeps & Pick<ControlDeps, 'publicUrl' | 'logger'>): Handler<typeof methods.onboardings.revoke> =>
  async ({ params: { onboarding: id } }) => {
    const { db, clock, logger } = deps
    const time = new Date(clock())
    await db.transaction().execute(async (tx) => {
      const organizationId = isId(id) ? await revokeOpenOnboarding(tx, id, time) : undefined
      if (organizationId === undefined) throw notFound('onboarding not found')
      await audit(tx, resourceNames.onboarding.format({ onboarding: id }), {}, { organizationId })
    })
    try {
      await settleOnboarding(deps, id)
    } catch (error) {
      // The invoice is voided once the provider can be reached.
      logger.warn({ id, err: error }, 'the invoice of a revoked onboarding could not be voided yet')
    }
    const row = await selectOnboardings(db).where('onboardings.id', '=', id).executeTakeFirstOrThrow()
    return presentOnboarding(row, deps)
  }
