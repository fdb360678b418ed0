import { methods } from '@tributary/contract'
import { organizationIds } from '../format/names.ts'
import { query } from './query.ts'

/** Reads the plans that can be bought, the cheapest first. */
export const plansQuery = () => query(methods.plans.list, {}, { read: ({ plans }) => plans })

/** Reads the subscription of an organization (a resource name), with the current data of the payment provider. */
export const subscriptionQuery = (organization: string) =>
  query(methods.subscriptions.get, { params: organizationIds(organization) }, { staleTime: 0 })

/** The usage of an organization's plan in this period. */
export const usageReportQuery = (organization: string) =>
  query(methods.usageReports.get, { params: organizationIds(organization) }, { staleTime: 0 })

/** The payment methods of an organization. */
export const paymentMethodsQuery = (organization: string) =>
  query(methods.paymentMethods.list, { params: organizationIds(organization) })

/** The plan changes that an organization requested, newest first. */
export const planChangesQuery = (organization: string) =>
  query(
    methods.subscriptions.listChanges,
    { params: organizationIds(organization) },
    { read: ({ changes }) => changes, staleTime: 0 },
  )

/** The invoices of an organization, newest first. */
export const invoicesQuery = (organization: string) =>
  query(methods.invoices.list, { params: organizationIds(organization) })

/** Reads the onboarding links that platform admins have created, newest first. */
export const onboardingsQuery = () =>
  query(methods.onboardings.list, {}, { read: ({ onboardings }) => onboardings, staleTime: 0 })
