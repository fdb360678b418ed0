import type { DeliverContext } from '@tributary/connector-kit'
import type { Group, Item } from '../../../wire/google/data-manager-groups.ts'
import type { GoogleAdsSettings } from '../settings.ts'
import type { AdsOperation } from './operation.ts'
import { upload, uploadStoreSales } from './request.ts'
import { adsVerdictOf } from './verdict.ts'

type Placed = { at: number; operation: AdsOperation }

/**
 * Returns the requests for operations: one for each method, and for each job of sales. Several operations
 * about the same conversion are in different requests, because Google refuses all of them in one.
 */
export const adsGroups = (placed: readonly Placed[], context: DeliverContext<GoogleAdsSettings>): Group[] => {
  const times = new Map<string, number>()
  const keyed = placed.map((each) => {
    const { method, identity, job } = each.operation
    const same = `${method} ${identity}`
    const time = times.get(same) ?? 0
    times.set(same, time + 1)
    return { ...each, key: `${time} ${method} ${JSON.stringify(job ?? {})}` }
  })
  return [...Map.groupBy(keyed, ({ key }) => key).values()].flatMap((those): Group[] => {
    const [first] = those
    if (first === undefined) return []
    const { method, job = {} } = first.operation
    const items = those.map(({ at, operation }): Item => ({ at, body: operation.operation }))
    const ask: Group['ask'] = (bodies) =>
      method === 'offlineUserDataJobs' ? uploadStoreSales(context, job, bodies) : upload(context, method, bodies)
    return [{ target: 'conversion action', items, ask, read: adsVerdictOf }]
  })
}
