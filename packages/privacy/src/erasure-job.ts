import { type JobKind, withoutEnd } from '@tributary/storage'
import { z } from 'zod'

const data = z.object({ request: z.string() })

/** Removes the people of a privacy request from every store. It names the request and holds nothing of it. */
export const erasureJob: JobKind<z.output<typeof data>> = {
  name: 'erase-people',
  data,
  // Until it is done: the product never gives up a deletion.
  retries: { most: withoutEnd, pauseSeconds: 1, maxPauseSeconds: 10 * 60 },
  // A job of a killed process continues soon, since the product promises minutes.
  leaseSeconds: 15,
  maxSeconds: 6 * 60 * 60,
  // Changes of the event store wait for each other anyway.
  atOnce: 1,
  exclusive: false,
  keepSeconds: 24 * 60 * 60,
}
