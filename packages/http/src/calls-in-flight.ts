import { type Actor, AppError, createPool, type HolderKind, type PoolHold, rateLimited } from '@tributary/kernel'
import { networkOf } from './network.ts'

/** Maximum share of all concurrent calls for one holder, by kind. */
const parts: Readonly<Record<Exclude<HolderKind, 'workspace'>, number>> = {
  network: 0.3,
  user: 0.3,
  organization: 0.5,
  work: 0.8,
}

/** The caller of a call, before its organization is known. */
export type Caller = { actor: Actor | undefined; address: string; work: string }

/**
 * Maximum share of one network among calls whose caller is being looked up. Behind an untrusted proxy, all callers have
 * the same network.
 */
const arrivingPart = 0.5

/** Calls in flight. Each counts for its user or network, its organization, and its method. */
export type CallsInFlight = {
  /**
   * Takes a slot for looking up the caller. Throws 429 if the network has used its share, 503 if too many other calls
   * arrive.
   */
  arrive(address: string): PoolHold
  /** Takes a slot. Throws 429 if the caller has used its share, 503 if too many other calls are in flight. */
  begin(caller: Caller): PoolHold
  /** Also counts a call for its organization. Throws 429 if the organization has used its share. */
  joinOrganization(hold: PoolHold, organizationId: string): void
}

const ownTooMany = (): AppError =>
  rateLimited('Too many calls of yours are under way at once. Wait until some of them have ended', 1000)
const organizationTooMany = (): AppError =>
  rateLimited('Too many calls of this organization are under way at once. Try again in a moment', 1000)
const overloaded = (): AppError =>
  new AppError(503, 'OVERLOADED', 'Too many calls at once; try again in a moment', { retry_after: '1' })

/** Creates slots for calls. No caller can take more than its share, so other callers always find free slots. */
export const createCallsInFlight = (total: number): CallsInFlight => {
  const share = (part: number): number => Math.max(1, Math.floor(part * total))
  const pool = createPool({
    total,
    shares: {
      network: share(parts.network),
      user: share(parts.user),
      organization: share(parts.organization),
      work: share(parts.work),
    },
    shrinking: ['network', 'user', 'organization'],
  })
  const arriving = createPool({ total, shares: { network: share(arrivingPart) }, shrinking: ['network'] })
  return {
    arrive(address) {
      const holders = { network: networkOf(address) }
      const hold = arriving.take(holders)
      if (hold !== undefined) return hold
      throw arriving.bound(holders) === 'network' ? ownTooMany() : overloaded()
    },
    begin({ actor, address, work }) {
      const holders = actor === undefined ? { network: networkOf(address), work } : { user: actor.userId, work }
      const hold = pool.take(holders)
      if (hold !== undefined) return hold
      const bound = pool.bound(holders)
      throw bound === 'user' || bound === 'network' ? ownTooMany() : overloaded()
    },
    joinOrganization(hold, organizationId) {
      if (!hold.join('organization', organizationId)) throw organizationTooMany()
    },
  }
}
