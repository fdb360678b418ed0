import { AppError } from '@tributary/kernel'

/**
 * Runs jobs one after the other, so that only one job at a time needs memory and a processor. Throws 503 if more than
 * `limit` jobs wait.
 */
export const createOneAtATime = (limit: number): (<Result>(job: () => Promise<Result>) => Promise<Result>) => {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return async (job) => {
    if (waiting >= limit)
      throw new AppError(503, 'OVERLOADED', 'Too many uploads at once. Try again in a moment', { retry_after: '2' })
    waiting++
    const result = last.then(job)
    last = result.catch(() => {})
    try {
      return await result
    } finally {
      waiting--
    }
  }
}
