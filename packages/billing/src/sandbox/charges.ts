import type { Tx } from '@tributary/api-kit'
import { randomToken } from '@tributary/kernel'
import { PaymentDeclined, unconfirmedText } from '../provider.ts'
import type { Outcome } from './answers.ts'

/** Returns the result of a charge to the customer's default payment method. */
export const chargeOutcome = async (tx: Tx, customer: string): Promise<'succeeds' | 'declines' | 'confirms'> => {
  const method = await tx
    .selectFrom('sandbox_payment_methods')
    .innerJoin('sandbox_customers', 'sandbox_customers.default_payment_method', 'sandbox_payment_methods.id')
    .select(['sandbox_payment_methods.declines', 'sandbox_payment_methods.confirms'])
    .where('sandbox_customers.id', '=', customer)
    .executeTakeFirst()
  if (method === undefined || method.declines) return 'declines'
  return method.confirms ? 'confirms' : 'succeeds'
}

/** Whether a charge succeeds without a confirmation. */
export const chargeable = async (tx: Tx, customer: string): Promise<boolean> =>
  (await chargeOutcome(tx, customer)) === 'succeeds'

/** Returns the response to a declined charge, with the reason. */
export const declinedAnswer = (outcome: 'declines' | 'confirms'): { declined: string } => ({
  declined: outcome === 'confirms' ? unconfirmedText : new PaymentDeclined().message,
})

/** Time within which a payment can be confirmed, ms. */
const confirmableMs = 23 * 3_600_000

/** Asks the payer to confirm a payment. Replaces an earlier request of the same kind. */
export const askToConfirm = async (
  tx: Tx,
  { customer, request, time }: { customer: string; request: string; time: Date },
): Promise<Outcome<never>> => {
  await tx.deleteFrom('sandbox_confirmations').where('customer', '=', customer).execute()
  const clientSecret = `sandbox_pi_${randomToken(24)}`
  await tx
    .insertInto('sandbox_confirmations')
    .values({ client_secret: clientSecret, customer, request, create_time: time })
    .execute()
  return { confirm: clientSecret }
}

/**
 * Uses up the confirmation with this secret, and returns the payment that it confirms. Returns undefined if it has
 * expired or belongs to another customer.
 */
export const takeConfirmation = async (
  tx: Tx,
  { customer, clientSecret, time }: { customer: string; clientSecret: string; time: Date },
): Promise<string | undefined> => {
  const row = await tx
    .deleteFrom('sandbox_confirmations')
    .where('client_secret', '=', clientSecret)
    .where('customer', '=', customer)
    .where('create_time', '>', new Date(time.getTime() - confirmableMs))
    .returning('request')
    .executeTakeFirst()
  return row?.request
}
