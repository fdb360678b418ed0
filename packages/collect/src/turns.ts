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

/**
 * Bodies that may take long, in turns: each owner has its share of the thread, the owners take turns, and what waits is
 * bounded in number (by the share) and in bytes.
 */
export type Turns = {
  /**
   * Runs a job now, or when it is its owner's turn; false, and it is never run, when too much of the owner or of all waits
   * already. A job must not throw.
   */
  begin(owner: string, bytes: number, job: () => void): boolean
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
      const count = bytes > settings.largeBytes ? Math.ceil(bytes / pieceBytes) : 1
      const pieces = (): number => count
      // Nobody overtakes what waits of its own.
      if (!held.has(owner) && share.wait(owner) === 0) {
        share.run(owner, job, pieces)
        return true
      }
      if ((held.get(owner) ?? 0) + bytes > settings.ownerBytes || all + bytes > settings.allBytes) return false
      hold(owner, bytes)
      const inTurn = (): void => {
        hold(owner, -bytes)
        job()
      }
      if (share.later(owner, inTurn, pieces)) return true
      hold(owner, -bytes)
      return false
    },
    waiting: () => all,
  }
}
