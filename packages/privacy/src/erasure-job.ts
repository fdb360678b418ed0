import { type JobKind, withoutEnd } from '@tributary/storage'
import { z } from 'zod'

const data = z.object({ request: z.string() })

/**
 * Removes the people of a privacy request from every store. The data of the job is the ID of the request, and no
 * personal data.
 */
export const erasureJob: JobKind<z.output<typeof data>> = {
  name: 'erase-people',
  data,
  // Retries are unlimited, because a deletion is never given up.
  retries: { most: withoutEnd, pauseSeconds: 1, maxPauseSeconds: 10 * 60 },
  // The lease is short, so that the job of a killed process continues soon: the product promises minutes.
  leaseSeconds: 15,
  maxSeconds: 6 * 60 * 60,
  // One job at a time is enough, because mutations of the event store wait for each other.
  atOnce: 1,
  exclusive: false,
  keepSeconds: 24 * 60 * 60,
}
