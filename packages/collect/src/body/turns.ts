import type { WorkShare } from '@tributary/kernel'

/** When bodies are worked on in turns, and how much of what waits for one is held. Bytes. */
export type TurnSettings = {
  /** A larger body takes turns. */
  largeBytes: number
  /** Bodies that wait, of one owner and of all together. */
  ownerBytes: number
  allBytes: number
}

/** Bytes of a body that count as one common piece of work: twice what ordinary events of that size take. */
const pieceBytes = 32 * 1024

/** Bytes of a body that are worked on at once: a millisecond of ordinary events, and never ten. */
export const sliceBytes = 256 * 1024

/** Work on a body; true when there is more of it to do, for which it is called again after others had their turns. */
export type Job = () => boolean

/**
 * Bodies that may take long, in turns: each owner has its share of the thread, the owners take turns, and what waits is
 * bounded in number (by the share) and in bytes.
 */
export type Turns = {
  /**
   * Runs a job now, or when it is its owner's turn; false, and it is never run, when too much of the owner or of all waits
   * already. A job that has more to do goes on in later turns, each in an own round of the event loop. It must not throw.
   */
  begin(owner: string, bytes: number, job: Job): boolean
  /** Bytes of bodies that wait. */
  waiting(): number
}

/** Turns of a share, with nothing waiting. */
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
    begin(owner, bytes, job) {
      const count = bytes > settings.largeBytes ? Math.ceil(Math.min(bytes, sliceBytes) / pieceBytes) : 1
      const pieces = (): number => count
      const work = (): void => {
        if (job()) share.resume(owner, work, pieces)
      }
      // Nobody overtakes what waits of its own.
      if (!held.has(owner) && share.wait(owner) === 0) {
        share.run(owner, work, pieces)
        return true
      }
      if ((held.get(owner) ?? 0) + bytes > settings.ownerBytes || all + bytes > settings.allBytes) return false
      hold(owner, bytes)
      const inTurn = (): void => {
        hold(owner, -bytes)
        work()
      }
      if (share.later(owner, inTurn, pieces)) return true
      hold(owner, -bytes)
      return false
    },
    waiting: () => all,
  }
}
