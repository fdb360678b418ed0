import { rateLimited } from '@tributary/kernel'
import type { Counters } from '../deps.ts'

const windowMs = 3_600_000

/** Maximum invitation mails of an organization per hour. */
export const invitationsPerHour = 100

/**
 * Maximum invitation mails of one person per hour, in all organizations. Without this limit, a user could create
 * organizations and mail strangers from them.
 */
export const invitationsPerPersonAndHour = 200

/** Minimum time between two mails of the same invitation, ms. */
export const resendPauseMs = 30_000

/**
 * Counts invitations before they are mailed. Throws 429 beyond a limit. Returns a function that undoes the count, for
 * invitations that were not mailed after all.
 */
export const countInvitations = async (
  counters: Counters,
  { organizationId, userId }: { organizationId: string; userId: string },
  count: number,
): Promise<() => Promise<void>> => {
  const limits = [
    [`invitations:${organizationId}`, invitationsPerHour, 'An organization'],
    [`invitations-by:${userId}`, invitationsPerPersonAndHour, 'One person'],
  ] as const
  const takeBack = async (): Promise<void> => {
    await Promise.all(limits.map(([key]) => counters.increment(key, -count, windowMs)))
  }
  const counts = await Promise.all(limits.map(([key]) => counters.increment(key, count, windowMs)))
  const passed = limits.find(([, limit], index) => (counts[index] ?? 0) > limit)
  if (passed === undefined) return takeBack
  await takeBack()
  throw rateLimited(`${passed[2]} can send ${passed[1]} invitations per hour. Try again later`, windowMs)
}
