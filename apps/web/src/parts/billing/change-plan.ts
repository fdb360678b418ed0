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

/** A plan that is asked for; with the time of a preview, what that showed is charged. */
export type PlanAsked = { plan: string; recurring_interval: BillingFrequency; prorate_time?: string }

/** What a change of the plan of an organisation (a resource name) would charge now. */
export const previewChange = (organization: string, { plan, recurring_interval }: PlanAsked): Promise<PlanPreview> =>
  call(methods.subscriptions.preview, {
    params: organizationIds(organization),
    body: { plan, recurring_interval },
  })

/** What is sent when a preview is agreed to. */
export const agreedTo = (asked: PlanAsked, { prorate_time }: PlanPreview): PlanAsked =>
  prorate_time === null ? asked : { ...asked, prorate_time }

/**
 * What happens to the subscription of an organisation (a resource name); what shows the plan is read again. A payment is
 * confirmed with the bank where it asks.
 */
export const useChangeSubscription = (organization: string, bank?: Pick<Bank, 'confirm'>) => {
  const cache = useQueryClient()
  const params = organizationIds(organization)
  return useMutation({
    mutationFn: async (change: PlanAsked | 'cancel' | 'resume') => {
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
        // With the limits of the plan.
        cache.invalidateQueries({ queryKey: usageQuery(organization).queryKey }),
        cache.invalidateQueries({ queryKey: usageReportQuery(organization).queryKey }),
      ])
    },
    // One that failed is in the history, too.
    onSettled: () => cache.invalidateQueries({ queryKey: planChangesQuery(organization).queryKey }),
  })
}
