import { rateLimited } from '@tributary/kernel'
import type { Counters } from '../deps.ts'

const windowMs = 3_600_000

/** How many pictures one user may upload in an hour: decoding them is the dearest thing a call can ask for. */
export const uploadsPerHour = 60

/** Counts an upload; throws 429 beyond the limit. */
export const countUpload = async (counters: Counters, userId: string): Promise<void> => {
  if ((await counters.increment(`image-uploads:${userId}`, 1, windowMs)) <= uploadsPerHour) return
  throw rateLimited('Too many uploads. Try again in an hour', windowMs)
}
