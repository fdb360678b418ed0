import { createHash } from 'node:crypto'
import { rateLimited } from '@tributary/kernel'
import type { Counters } from '../deps.ts'

/** Over which time tries are counted, ms. */
export const tryWindowMs = 15 * 60_000

/** What an address is called in the name of a counter, which is no place for addresses. */
export const hiddenAddress = (email: string): string => createHash('sha256').update(email).digest('base64url')

/**
 * What limits take for one place: an IPv4 address, or the /64 of an IPv6 address, of which every connection has 2^64 to
 * itself.
 */
export const placeOf = (ip: string): string => {
  if (!ip.includes(':') || ip.includes('.')) return ip
  const [before = '', after] = (ip.split('%')[0] ?? '').toLowerCase().split('::')
  const groups = before.split(':').filter((group) => group !== '')
  const behind = (after ?? '').split(':').filter((group) => group !== '')
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - behind.length) }, () => '0')
  const network = [...groups, ...zeros, ...behind].slice(0, 4)
  return `${network.map((group) => group.replace(/^0+(?=.)/, '')).join(':')}::/64`
}

/**
 * Counts a try before it is checked, so that many at once do not slip through. Throws 429 with `message` when one of the
 * limits is passed; those behind it are not counted then. Name the place first and what many places share last: then one
 * place can neither use up what others share nor fill the memory with counters. Returns what takes the try back again,
 * for those that should not have counted.
 */
export const countTry = async (
  counters: Counters,
  limits: readonly (readonly [key: string, limit: number])[],
  message: string,
): Promise<() => Promise<void>> => {
  for (const [key, limit] of limits)
    if ((await counters.increment(key, 1, tryWindowMs)) > limit) throw rateLimited(message, tryWindowMs)
  return async () => {
    await Promise.all(limits.map(([key]) => counters.increment(key, -1, tryWindowMs)))
  }
}
