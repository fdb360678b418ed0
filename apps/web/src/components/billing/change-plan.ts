import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type BillingFrequency, methods, type PlanPreview } from '@tributary/contract'
import { call } from '../../lib/api/client.ts'
import { organizationIds } from '../../lib/format/names.ts'
import {
  invoicesQuery,
  planChangesQuery,
  subscriptionQuery,
  usageReportQuery,
} from '../../lib/queries/billing-queries.ts'
import { organizationQuery, usageQuery } from '../../lib/queries/organization-queries.ts'
import { refresh } from '../../lib/queries/query.ts'
import { type Bank, confirmationOf } from './use-bank.tsx'

/** A plan that a user requests. If it has the time of a preview, exactly the previewed amount is charged. */
export type RequestedPlan = { plan: string; recurring_interval: BillingFrequency; prorate_time?: string }

/** The current charge for a plan change of an organization (a resource name). */
export const previewChange = (
  organization: string,
  { plan, recurring_interval }: RequestedPlan,
): Promise<PlanPreview> =>
  call(methods.subscriptions.preview, {
    params: organizationIds(organization),
    body: { plan, recurring_interval },
  })

/** Returns the request to send after the user has accepted a preview. */
export const agreedTo = (asked: RequestedPlan, { prorate_time }: PlanPreview): RequestedPlan =>
  prorate_time === null ? asked : { ...asked, prorate_time }

/**
 * Changes the subscription of an organization (a resource name), and reloads all data that depends on the plan. A
 * payment is confirmed with the bank if the bank requires it.
 */
export const useChangeSubscription = (organization: string, bank?: Pick<Bank, 'confirm'>) => {
  const cache = useQueryClient()
  const params = organizationIds(organization)
  return useMutation({
    mutationFn: async (change: RequestedPlan | 'cancel' | 'resume') => {
      if (change === 'cancel') return call(methods.subscriptions.cancel, { params, body: {} })
      if (change === 'resume') return call(methods.subscriptions.resume, { params, body: {} })
      try {
        return await call(methods.subscriptions.update, { params, body: change })
      } catch (error) {
        const secret = confirmationOf(error)
        if (secret === undefined || bank === undefined) throw error
        await bank.confirm(secret)
        return await call(methods.subscriptions.get, { params })
      }
    },
    onSuccess: async (subscription) => {
      cache.setQueryData(subscriptionQuery(organization).queryKey, subscription)
      refresh(cache, ['workspaces', 'memberships'])
      await Promise.all([
        cache.invalidateQueries({ queryKey: organizationQuery(organization).queryKey }),
        cache.invalidateQueries({ queryKey: invoicesQuery(organization).queryKey }),
        // The limits in the usage are those of the plan.
        cache.invalidateQueries({ queryKey: usageQuery(organization).queryKey }),
        cache.invalidateQueries({ queryKey: usageReportQuery(organization).queryKey }),
      ])
    },
    // The history also contains failed changes.
    onSettled: () => cache.invalidateQueries({ queryKey: planChangesQuery(organization).queryKey }),
  })
}
