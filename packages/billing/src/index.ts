export { defaultPlans, listedPlans, type PlanCatalogue, planOf, readPlanCatalogue } from './catalogue.ts'
export { cancelSubscription, resumeSubscription, updateSubscription } from './change-plan.ts'
export { lastKnown } from './last-known.ts'
export { countLimited, withinFreeOrganizations, withinPlan, withinSeats } from './limits.ts'
export { agreedAmount, requireAgreedAmounts, settleOnboarding } from './onboarding.ts'
export { updateCap } from './overage/cap.ts'
export { listChanges, previewSubscription } from './preview.ts'
export { PaymentConfirmation, PaymentDeclined, PaymentRefused, type ProviderPaymentMethod } from './provider.ts'
export { receivePaymentWebhook } from './receive-webhook.ts'
export { createSandbox } from './sandbox/sandbox.ts'
export type { BillingServices, BillingSettings } from './services.ts'
export { settleSubscriptions } from './settle.ts'
export { createStripe, type StripeSettings } from './stripe/stripe.ts'
export {
  type BillingDeps,
  confirmationError,
  finishOpen,
  insertOperation,
  type Operation,
  presentSubscription,
  readSubscription,
  requirePayment,
} from './subscription.ts'
export { keepUsage } from './usage/keep-usage.ts'
export { createMeasure } from './usage/measure.ts'
export { type PlanUsage, readPlan, readUsage, workspacesOf } from './usage/read-usage.ts'
export { releaseHeld, releaseJob } from './usage/release.ts'
export { getUsageReport } from './usage/report.ts'
export * from './write-onboarding.ts'
