import type { Db } from '@tributary/api-kit'
import type { RequestClient } from '@tributary/connector-kit'
import { ZodError } from 'zod'
import { type PaymentProvider, PaymentUnavailable } from '../provider.ts'
import { createStripeApi } from './api.ts'
import { cardsOf } from './cards.ts'
import { customersOf } from './customers.ts'
import { invoicesOf } from './invoices.ts'
import { subscriptionsOf } from './subscriptions.ts'

export type StripeSettings = {
  /** Kept in this process; it opens the whole account. */
  secretKey: string
  /** Signs the webhooks of Stripe; undefined while none is set up. */
  webhookSecret: string | undefined
  /** Without a slash at the end; the only address that is asked. */
  apiUrl: string
}

export type Stripe = PaymentProvider & { kind: 'stripe' }

/** An answer that is not as it is described is that of a provider which cannot be worked with right now. */
const describedOnly = (provider: Omit<Stripe, 'kind'>): Omit<Stripe, 'kind'> => {
  const guarded = Object.entries(provider).map(([name, call]) => [
    name,
    async (...given: unknown[]) => {
      try {
        return await (call as (...args: unknown[]) => Promise<unknown>).apply(provider, given)
      } catch (cause) {
        throw cause instanceof ZodError ? new PaymentUnavailable({ cause }) : cause
      }
    },
  ])
  return Object.fromEntries(guarded) as Omit<Stripe, 'kind'>
}

/** Stripe as the payment provider. The database stores which of its objects belong to which organization. */
export const createStripe = (
  { db, requestClient }: { db: Db; requestClient: Pick<RequestClient, 'request'> },
  settings: StripeSettings,
): Stripe => {
  const api = createStripeApi(requestClient, settings)
  return {
    kind: 'stripe',
    ...describedOnly({ ...customersOf(api, db), ...cardsOf(api), ...subscriptionsOf(api), ...invoicesOf(api) }),
  }
}
