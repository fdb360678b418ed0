import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type BillingFrequency, methods } from '@tributary/contract'
import { call } from '../../lib/api/client.ts'
import { organizationIds } from '../../lib/format/names.ts'
import { invoicesQuery, subscriptionQuery } from '../../lib/queries/billing-queries.ts'
import { organizationQuery } from '../../lib/queries/organization-queries.ts'
import { refresh } from '../../lib/queries/query.ts'

/** What happens to the subscription of an organisation (a resource name); what shows the plan is read again. */
export const useChangeSubscription = (organization: string) => {
  const cache = useQueryClient()
  const params = organizationIds(organization)
  return useMutation({
    mutationFn: (change: { plan: string; recurring_interval: BillingFrequency } | 'cancel' | 'resume') => {
      if (change === 'cancel') return call(methods.subscriptions.cancel, { params, body: {} })
      if (change === 'resume') return call(methods.subscriptions.resume, { params, body: {} })
      return call(methods.subscriptions.update, { params, body: change })
    },
    onSuccess: async (subscription) => {
      cache.setQueryData(subscriptionQuery(organization).queryKey, subscription)
      refresh(cache, ['workspaces', 'memberships'])
      await Promise.all([
        cache.invalidateQueries({ queryKey: organizationQuery(organization).queryKey }),
        cache.invalidateQueries({ queryKey: invoicesQuery(organization).queryKey }),
      ])
    },
  })
}
