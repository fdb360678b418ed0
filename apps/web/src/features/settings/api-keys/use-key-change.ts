import { useMutation, useQueryClient } from '@tanstack/react-query'
import { organizationIds } from '../../../lib/format/names.ts'
import { refresh } from '../../../lib/queries/query.ts'

/** Returns a mutation that changes the keys of an organization and then reloads their list. */
export const useKeyChange = <Given, Answer>(organization: string, change: (given: Given) => Promise<Answer>) => {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSettled: () => refresh(cache, ['apiKeys'], organizationIds(organization)),
  })
}
