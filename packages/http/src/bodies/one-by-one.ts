/** Runs one job of each owner at a time; a bounded number of others wait. */
export type OneByOne = {
  /**
   * Runs a job immediately, or when the owner's previous jobs have ended. Returns false, and never runs the job, if too
   * many wait. The job lasts until `end` is called.
   */
  begin(owner: string, job: () => void): boolean
  /** Ends the running job of an owner; the next one begins in a later round of the event loop. */
  end(owner: string): void
  /** Number of waiting jobs. */
  waiting(): number
}

/** Creates an empty queue; at most `most` jobs of an owner wait. */
export const createOneByOne = (most: number): OneByOne => {
  const owners = new Map<string, (() => void)[]>()
  return {
    begin(owner, job) {
      const queue = owners.get(owner)
      if (queue === undefined) {
        owners.set(owner, [])
        job()
        return true
      }
      if (queue.length >= most) return false
      queue.push(job)
      return true
    },
    end(owner) {
      const next = owners.get(owner)?.shift()
      if (next === undefined) owners.delete(owner)
      else setImmediate(next)
    },
    waiting: () => [...owners.values()].reduce((sum, queue) => sum + queue.length, 0),
  }
}
