import type { DeliverContext } from '@tributary/connector-kit'
import type { Group, Item } from '../../../wire/google/data-manager-groups.ts'
import type { GoogleAdsSettings } from '../settings.ts'
import { type AdsOperation, adsTimeOf } from './operation.ts'
import { upload } from './request.ts'
import { unconfirmedJobs, uploadStoreSales } from './store-sales-job.ts'
import { adsVerdictOf } from './verdict.ts'

type Placed = { at: number; operation: AdsOperation }

/** Google reads times in whole seconds. */
const secondMs = 1000

const secondOf = (at: number): number => Math.floor(at / secondMs) * secondMs

/**
 * Gives restatements of one conversion with the same second different seconds, in their order, because Google ignores
 * the second one of a second ("RestatementValue" of the Google Ads API).
 */
const inSecondsOfTheirOwn = (placed: readonly Placed[]): Placed[] => {
  const taken = new Set<string>()
  return placed.map((each) => {
    const { identity, adjustedAt } = each.operation
    if (adjustedAt === undefined) return each
    let second = secondOf(adjustedAt)
    while (taken.has(`${second} ${identity}`)) second += secondMs
    taken.add(`${second} ${identity}`)
    return { ...each, operation: { ...each.operation, adjustedAt: second } }
  })
}

/**
 * Number of later seconds that a restatement is tried with. Each lost response takes up one, so this is as many lost
 * responses as one event can have. Our own choice.
 */
const laterSeconds = 5

/**
 * Returns an item. Google may have a restatement with the same second already: this one, if its response was lost, or
 * one of an earlier batch with another value. Google does not say which, so the item is sent once more with the next
 * second. This repeats the same value or replaces the earlier one.
 */
const itemOf = ({ at, operation: { operation, adjustedAt } }: Placed): Item => {
  if (adjustedAt === undefined) return { at, body: operation }
  const timed = (second: number) => ({ ...operation, adjustmentDateTime: adsTimeOf(second) })
  const later = Array.from({ length: laterSeconds }, (_, index) => timed(adjustedAt + (index + 1) * secondMs))
  return { at, body: timed(adjustedAt), later }
}

/**
 * Returns the requests for operations: one for each method, and for each job of sales. Several operations
 * about the same conversion are in different requests, because Google refuses all of them in one. Sales of a job that
 * may run already are in a request of their own, which starts that job again.
 */
export const adsGroups = (placed: readonly Placed[], context: DeliverContext<GoogleAdsSettings>): Group[] => {
  const times = new Map<string, number>()
  const unconfirmed = unconfirmedJobs(context.lifetime)
  const keyed = inSecondsOfTheirOwn(placed).map((each) => {
    const { method, identity, job } = each.operation
    const same = `${method} ${identity}`
    const time = times.get(same) ?? 0
    times.set(same, time + 1)
    const jobName = method === 'offlineUserDataJobs' ? unconfirmed.get(identity) : undefined
    return { ...each, jobName, key: `${time} ${method} ${jobName ?? JSON.stringify(job ?? {})}` }
  })
  return [...Map.groupBy(keyed, ({ key }) => key).values()].flatMap((those): Group[] => {
    const [first] = those
    if (first === undefined) return []
    const { jobName } = first
    const { method, job = {} } = first.operation
    const items = those.map(itemOf)
    const identities = new Map<unknown, string>(those.map(({ operation }) => [operation.operation, operation.identity]))
    const salesOf = (bodies: readonly unknown[]) =>
      bodies.map((operation) => ({ operation, identity: identities.get(operation) ?? '' }))
    const ask: Group['ask'] = (bodies) =>
      method === 'offlineUserDataJobs'
        ? uploadStoreSales(context, { job, jobName, sales: salesOf(bodies) })
        : upload(context, method, bodies)
    return [{ target: 'conversion action', items, ask, read: adsVerdictOf }]
  })
}
