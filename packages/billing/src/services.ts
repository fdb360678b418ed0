import type { AppendRequest, Db, LiveChannel, ProfileLedger } from '@tributary/api-kit'
import type { Clock, Logger } from '@tributary/kernel'
import type { EventStore, JobSender } from '@tributary/storage'
import type { PlanCatalogue } from './catalogue.ts'
import type { StripeSettings } from './stripe/stripe.ts'

/**
 * The plans, the payment provider, and whether plans limit. Where they limit, creates beyond them are refused. Events of a
 * free plan are held once `graceHours` have passed beyond its limits.
 */
export type BillingSettings = {
  plans: PlanCatalogue
  payment: 'none' | 'sandbox' | 'stripe'
  limits: boolean
  /** Days that an invoice can be unpaid before the limits of the first plan hold. */
  unpaidDays: number
  /** How Stripe is called, where it takes the payments. */
  stripe?: StripeSettings | undefined
  graceHours: number
  /** How long events are kept, days; 0 for ever. */
  eventsDays: number
  /** Organizations on the first plan that one person can begin where plans limit; 0 or absent for any number. */
  freeOrganizations?: number | undefined
}

/** What this package needs of the process that it runs in. */
export type BillingServices = {
  db: Db
  eventStore: EventStore
  jobs: JobSender
  live: LiveChannel
  appendRequest: AppendRequest
  profileLedger: ProfileLedger
  billing: BillingSettings
  /** Address under which browsers reach the product, without a slash at the end: links in mail begin with it. */
  publicUrl: () => string
  clock: Clock
  logger: Logger
}
