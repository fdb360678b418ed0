import type { AppendRequest, Db, LiveChannel, ProfileLedger } from '@tributary/api-kit'
import type { Clock, Logger } from '@tributary/kernel'
import type { EventStore, JobSender } from '@tributary/storage'
import type { PlanCatalogue } from './catalogue.ts'
import type { StripeSettings } from './stripe/stripe.ts'

/**
 * The settings of plans and payment, and whether the limits of plans are enforced. If they are, creations beyond a
 * limit are refused. Events of a free plan are held once its limits have been exceeded for `graceHours`.
 */
export type BillingSettings = {
  plans: PlanCatalogue
  payment: 'none' | 'sandbox' | 'stripe'
  limits: boolean
  /** Number of days after which the limits of the first plan apply if an invoice stays unpaid. */
  unpaidDays: number
  /** Settings of Stripe, if it is the payment provider. */
  stripe?: StripeSettings | undefined
  graceHours: number
  /** Number of days for which events are stored; 0 means forever. */
  eventsDays: number
  /**
   * Maximum number of organizations on the first plan that one person can create if plan limits are enforced. 0 or
   * absent means no maximum.
   */
  freeOrganizations?: number | undefined
}

/** The services that this package needs from its process. */
export type BillingServices = {
  db: Db
  eventStore: EventStore
  jobs: JobSender
  live: LiveChannel
  appendRequest: AppendRequest
  profileLedger: ProfileLedger
  billing: BillingSettings
  /** The public address of the product, without a trailing slash. Links in mail start with it. */
  publicUrl: () => string
  clock: Clock
  logger: Logger
}
