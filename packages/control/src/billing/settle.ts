import { AppError } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { openOnboardings, settleOnboarding } from './onboarding.ts'
import { billOverage, findUnbilled, type OverageDeps } from './overage/bill.ts'
import { finishOpen, readSubscription } from './subscription.ts'

/** Reads anew what ended its period, or was cut off, for limits to follow; to be called every now and then. */
export const settleSubscriptions = async (deps: OverageDeps & Pick<ControlDeps, 'logger'>): Promise<void> => {
  if (deps.payment === undefined) return
  const { db, clock } = deps
  const due = await db
    .selectFrom('subscriptions')
    .select('organization_id')
    // Of one that is billed annually a month ends that is billed for its profiles.
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
  // One that is carried out right now is left to whoever does.
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
  // Only now: what a period includes is known of what the provider holds.
  await settleEach(deps, await findUnbilled(deps), ({ organization_id }) => billOverage(deps, organization_id))
}

/** Goes on with the next one when one fails, except when nobody can be asked. */
const settleEach = async <T extends Record<string, string>>(
  { logger }: Pick<ControlDeps, 'logger'>,
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
