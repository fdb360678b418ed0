/** Jobs of which a few are done in each round of the event loop, so that others are served between them. */
export type Rounds = {
  /** Does a job in one of the next rounds; false, and it is never done, when too many wait. A job must not throw. */
  add(job: () => void): boolean
}

/** Nothing to do yet; `perRound` jobs in a round, at most `waiting` wait. */
export const createRounds = ({ perRound, waiting }: { perRound: number; waiting: number }): Rounds => {
  let jobs: (() => void)[] = []
  let done = 0
  const round = (): void => {
    for (let count = 0; count < perRound && done < jobs.length; count++) jobs[done++]?.()
    if (done < jobs.length) return void setImmediate(round)
    jobs = []
    done = 0
  }
  return {
    add(job) {
      if (jobs.length - done >= waiting) return false
      if (jobs.push(job) === 1) setImmediate(round)
      return true
    },
  }
}
