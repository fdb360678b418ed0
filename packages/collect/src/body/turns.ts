import type { WorkShare } from '@tributary/kernel'

/** Settings in bytes: which bodies are processed in turns, and how many bytes can wait. */
export type TurnSettings = {
  /** Size above which bodies are processed in turns. */
  largeBytes: number
  /** Maximum number of bytes of waiting bodies of one owner. */
  ownerBytes: number
  /** Maximum number of bytes of waiting bodies of all owners. */
  allBytes: number
}

/**
 * Number of bytes of a body that count as one piece of work. The charged time is twice the time that ordinary events of
 * that size take.
 */
const pieceBytes = 32 * 1024

/**
 * Number of bytes of a body that are processed without a break. For ordinary events they take about a millisecond, and
 * they never take ten.
 */
export const sliceBytes = 256 * 1024

/**
 * Work on a body. Returns true if more work is left; the job is then called again after other owners had their turns.
 */
export type Job = () => boolean

/**
 * Runs long work on bodies in turns. Each owner has a share of the thread, owners take turns, and waiting bodies are
 * limited in number (by the share) and in bytes.
 */
export type Turns = {
  /**
   * Runs a job now or in its owner's turn. Returns false and never runs the job if too much work of the owner or of all
   * owners waits. An unfinished job continues in later turns, each in its own round of the event loop. A job must not
   * throw. A job whose client is `gone` before its turn never runs; then `dropped` is called.
   */
  begin(owner: string, bytes: number, job: Job, leaving?: { gone: AbortSignal; dropped(): void }): boolean
  /** Returns the number of bytes of waiting bodies. */
  waiting(): number
}

/** Creates empty turns on a work share. */
export const createTurns = (share: WorkShare, settings: TurnSettings): Turns => {
  const held = new Map<string, number>()
  let all = 0
  const hold = (owner: string, bytes: number): void => {
    const now = (held.get(owner) ?? 0) + bytes
    if (now > 0) held.set(owner, now)
    else held.delete(owner)
    all += bytes
  }
  return {
    begin(owner, bytes, job, leaving) {
      const count = bytes > settings.largeBytes ? Math.ceil(Math.min(bytes, sliceBytes) / pieceBytes) : 1
      const pieces = (): number => count
      const work = (): void => {
        if (job()) share.resume(owner, work, pieces)
      }
      // A job waits if earlier jobs of its owner wait.
      if (!held.has(owner) && share.wait(owner) === 0) {
        share.run(owner, work, pieces)
        return true
      }
      if ((held.get(owner) ?? 0) + bytes > settings.ownerBytes || all + bytes > settings.allBytes) return false
      hold(owner, bytes)
      const leave = (): void => {
        hold(owner, -bytes)
        leaving?.dropped()
      }
      const inTurn = (): void => {
        leaving?.gone.removeEventListener('abort', leave)
        hold(owner, -bytes)
        work()
      }
      if (share.later(owner, inTurn, pieces, leaving?.gone)) {
        if (leaving?.gone.aborted === true) leave()
        else leaving?.gone.addEventListener('abort', leave, { once: true })
        return true
      }
      hold(owner, -bytes)
      return false
    },
    waiting: () => all,
  }
}
