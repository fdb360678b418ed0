import { rateLimited } from '@tributary/kernel'
import type { Counters } from '../deps.ts'

const windowMs = 3_600_000

/** Maximum pictures that a user can upload per hour. Decoding them is the most expensive part of any call. */
export const uploadsPerHour = 60

/** Counts an upload; throws 429 beyond the limit. */
export const countUpload = async (counters: Counters, userId: string): Promise<void> => {
  if ((await counters.increment(`image-uploads:${userId}`, 1, windowMs)) <= uploadsPerHour) return
  throw rateLimited('Too many uploads. Try again in an hour', windowMs)
}
