/** Maximum number of restarts of a server whose threads do not respond, within a certain time. */
const maxRestarts = 5
const withinMs = 10 * 60_000

/** Decides whether a server that ended because a thread did not respond is restarted: at most 5 times in 10 minutes. */
export const createRestarts = () => {
  /** @type {number[]} */
  let starts = []
  return {
    /** @param {number} now epoch ms */
    mayStart(now) {
      starts = starts.filter((time) => now - time < withinMs)
      return starts.length < maxRestarts && starts.push(now) > 0
    },
    why: `Tributary was started again ${maxRestarts} times in ${withinMs / 60_000} minutes and does not go on: see the log for what its threads did, and docs/operations.md.`,
  }
}
