import { AppError } from '@tributary/kernel'
import type { ControlDeps } from '../deps.ts'
import { openOnboardings, settleOnboarding } from './onboarding.ts'
import { type BillingDeps, finishOpen, readSubscription } from './subscription.ts'

/** Reads anew what ended its period, or was cut off, for limits to follow; to be called every now and then. */
export const settleSubscriptions = async (deps: BillingDeps & Pick<ControlDeps, 'logger'>): Promise<void> => {
  if (deps.payment === undefined) return
  const { db, clock } = deps
  const due = await db
    .selectFrom('subscriptions')
    .select('organization_id')
    .where('period_end_time', '<=', new Date(clock()))
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
