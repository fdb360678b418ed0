import type { StripeSettings } from './stripe/stripe.ts'
import { customerIn, isSigned } from './stripe/webhook.ts'
import { type BillingDeps, finishOpen, readSubscription } from './subscription.ts'

/**
 * Handles a webhook of the payment provider. Returns 400 if it has no recent signature of the provider, and 200
 * otherwise. Each webhook makes the subscription be read again, so webhooks may come late, twice, or out of order.
 * Rejects if the read fails, so that the provider sends the webhook again.
 */
export const receivePaymentWebhook = async (
  deps: BillingDeps,
  stripe: StripeSettings | undefined,
  { body, signature }: { body: Uint8Array; signature: string },
): Promise<200 | 400 | 404> => {
  const secret = stripe?.webhookSecret
  if (stripe === undefined || secret === undefined) return 404
  if (!isSigned(body, signature, secret, deps.clock())) return 400
  const customer = customerIn(body, stripe)
  if (customer === undefined) return 200
  const row = await deps.db
    .selectFrom('stripe_customers')
    .select('organization_id')
    .where('customer', '=', customer)
    .executeTakeFirst()
  if (row === undefined) return 200
  await finishOpen(deps, row.organization_id)
  await readSubscription(deps, row.organization_id)
  return 200
}
