/** Work of which each owner has one piece under way; the others wait for its end, a bounded number of them. */
export type OneByOne = {
  /**
   * Runs a job at once, or when the owner's piece before it has ended; false, and it is never run, when too many wait.
   * The job's piece of work lasts until `end` is called.
   */
  begin(owner: string, job: () => void): boolean
  /** Ends the piece of an owner that is under way; the next begins in a later round of the event loop. */
  end(owner: string): void
  /** Jobs that wait. */
  waiting(): number
}

/** Nothing under way; at most `most` jobs of an owner wait. */
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
