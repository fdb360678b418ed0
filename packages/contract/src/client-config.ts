import { z } from 'zod'
import { anybody } from './api/access.ts'
import { defineMethod } from './api/method.ts'
import { configCall } from './client-config-reading.ts'

/** The configuration that the web application needs before sign-in. Empty texts stand for unset values. */
export const clientConfig = z.object({
  sign_up_enabled: z.boolean(),
  /** The third-party sign-in; null when none is configured. */
  oauth: z.object({ provider: z.string(), display_name: z.string() }).nullable(),
  links: z.object({
    terms: z.string(),
    privacy: z.string(),
    pricing: z.string(),
    contact_sales: z.string(),
    documentation: z.string(),
    /** Mail address of the support. */
    support_email: z.string(),
  }),
  sentry_dsn: z.string(),
  environment: z.enum(['production', 'development']),
  /** Application ID of the customer-messaging widget. */
  messaging_app_id: z.string(),
  /** Write key of the source for the product analytics of the application. */
  analytics_write_key: z.string(),
  /** False while mail stays in the server's outbox folder, because no mail server is configured. */
  mail_enabled: z.boolean(),
  /** The payment provider: `sandbox` moves no money, `none` means that users cannot buy plans. */
  payment: z.enum(['none', 'sandbox', 'stripe']),
  /** The key that opens the card form of Stripe; empty without Stripe. */
  stripe_publishable_key: z.string(),
})
export type ClientConfig = z.infer<typeof clientConfig>

export const config = {
  get: defineMethod({
    ...configCall,
    access: anybody,
    summary: "Gets the web application's public configuration.",
    response: clientConfig,
    errors: [],
  }),
}
