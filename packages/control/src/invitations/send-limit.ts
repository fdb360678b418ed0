import { AppError } from '@tributary/kernel'
import type { Counters } from '../deps.ts'

const windowMs = 3_600_000

/** How many invitations an organisation may mail in an hour. */
export const invitationsPerHour = 100

/** One invitation is mailed again at the earliest after this time, in ms. */
export const resendPauseMs = 30_000

/**
 * Counts invitations before they are mailed; throws 429 beyond the limit. Returns how to take the count back when they
 * were not mailed after all.
 */
export const countInvitations = async (
  counters: Counters,
  organizationId: string,
  count: number,
): Promise<() => Promise<void>> => {
  const key = `invitations:${organizationId}`
  const takeBack = async (): Promise<void> => void (await counters.increment(key, -count, windowMs))
  if ((await counters.increment(key, count, windowMs)) <= invitationsPerHour) return takeBack
  await takeBack()
  throw new AppError(
    429,
    'RATE_LIMITED',
    `An organization may send ${invitationsPerHour} invitations an hour; try again later`,
    { retry_after: String(windowMs / 1000) },
  )
}
