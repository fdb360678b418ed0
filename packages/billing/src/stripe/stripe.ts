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
  /** The secret key, which gives access to the whole Stripe account. It never leaves this process. */
  secretKey: string
  /** The key that signs Stripe's webhooks; undefined if they are not set up. */
  webhookSecret: string | undefined
  /** The base URL of all calls, without a trailing slash. No other address is called. */
  apiUrl: string
}

export type Stripe = PaymentProvider & { kind: 'stripe' }

/** Wraps a provider so that a response with an unexpected shape counts as an unavailable provider. */
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

/**
 * Makes the payment provider for Stripe. The database stores which of Stripe's objects belong to which organization.
 */
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
