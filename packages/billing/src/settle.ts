import { AppError } from '@tributary/kernel'
import { openOnboardings, settleOnboarding } from './onboarding.ts'
import { billOverage, findUnbilled, type OverageDeps } from './overage/bill.ts'
import type { BillingServices } from './services.ts'
import { finishOpen, readSubscription } from './subscription.ts'

/**
 * Reads subscriptions again if their period has ended or a change of them was interrupted, so that limits are current.
 * Call it regularly.
 */
export const settleSubscriptions = async (deps: OverageDeps & Pick<BillingServices, 'logger'>): Promise<void> => {
  if (deps.payment === undefined) return
  const { db, clock } = deps
  const due = await db
    .selectFrom('subscriptions')
    .select('organization_id')
    // The condition also covers annual subscriptions, because their monthly periods are billed for profiles.
    .where((where) =>
      where.or([
        where('period_end_time', '<=', new Date(clock())),
        where.not(
          where.exists(
            where
              .selectFrom('usage_periods')
              .select('start_time')
              .whereRef('usage_periods.organization_id', '=', 'subscriptions.organization_id')
              .where('usage_periods.end_time', '>', new Date(clock())),
          ),
        ),
      ]),
    )
    .limit(500)
    .execute()
  // An operation that another process is executing right now is skipped.
  const cutOff = await db
    .selectFrom('payment_operations')
    .select('organization_id')
    .where('done_time', 'is', null)
    .where('create_time', '<', new Date(clock() - 60_000))
    .limit(500)
    .execute()
  const agreed = await openOnboardings(db, clock())
  await settleEach(deps, cutOff, ({ organization_id }) => finishOpen(deps, organization_id))
  await settleEach(deps, due, async ({ organization_id }) => void (await readSubscription(deps, organization_id)))
  await settleEach(deps, agreed, ({ id }) => settleOnboarding(deps, id))
  // This comes after the subscriptions, because these determine the included profiles of a period.
  await settleEach(deps, await findUnbilled(deps), ({ organization_id }) => billOverage(deps, organization_id))
}

/** Handles all rows. If one fails, continues with the next one, unless the provider is unavailable. */
const settleEach = async <T extends Record<string, string>>(
  { logger }: Pick<BillingServices, 'logger'>,
  rows: readonly T[],
  settle: (row: T) => Promise<void>,
): Promise<void> => {
  for (const row of rows)
    try {
      await settle(row)
    } catch (cause) {
      logger.warn({ ...row, err: cause }, 'billing could not be settled')
      if (cause instanceof AppError && cause.code === 503) return
    }
}
