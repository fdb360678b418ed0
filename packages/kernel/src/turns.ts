import { resumeWork } from './thread-board.ts'

/**
 * Time in ms after which work that has many parts lets other work of its thread run. One part more may begin just
 * before.
 */
export const pieceMs = 5

/**
 * Time in ms that a piece always has, even if other pieces have used the time of its round. Sending some requests takes
 * less, so the requests of a small destination do not wait behind the mappings of a large one.
 */
const ownMs = 1

const waiting: (() => void)[] = []

const serveNext = (): void => {
  // The round before this one may not be over yet: its end can be behind this call in the same queue.
  round = undefined
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(serveNext)
}

/**
 * Resolves in a later round of the event loop. Callers are served in their order, each in a round of its own, so the
 * pieces of several callers do not add up to a long one.
 */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(serveNext)
  })

/**
 * The time that a piece of work has left. All pieces that begin in one round of the event loop share one time, and each
 * has a short time of its own.
 */
export type Piece = {
  /** Whether the piece has used its time. Its work should then call `end` before its next part. */
  isOver(): boolean
  /** Waits for the next turn, or for `turn`, and begins another piece. */
  end(turn?: () => Promise<unknown>): Promise<void>
}

const wallMs = (): number => performance.now()

/** Returns the processor time of this thread, in ms. */
const threadMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

type Moment = { wall: number; worked: number }

/** The beginning of the first piece in this round of the event loop. */
let round: Moment | undefined

/** Returns the beginning of the first piece in this round, or `now` if there is none. */
const beginRound = (now: () => Moment): Moment => {
  if (round === undefined) {
    const begun = now()
    round = begun
    setImmediate(() => {
      if (round === begun) round = undefined
    })
  }
  return round
}

/**
 * Begins a piece of work. If the piece is over at once, its work does one part nevertheless. `worked` returns the ms of
 * work so far; the default is the processor time of the thread. Time without a processor does not count: on a busy
 * machine, pieces that end early would need more turns.
 */
export const beginPiece = (worked: () => number = threadMs): Piece => {
  const now = (): Moment => ({ wall: wallMs(), worked: worked() })
  let begun = worked === threadMs ? beginRound(now) : now()
  const ownFrom = wallMs()
  // The clock is faster to read than the processor time, and most pieces end before it matters.
  const mayBeOver = (): boolean => {
    if (worked !== threadMs) return true
    const wall = wallMs()
    return wall - begun.wall >= pieceMs && wall - ownFrom >= ownMs
  }
  return {
    isOver: () => mayBeOver() && worked() - begun.worked >= pieceMs,
    end: async (turn = nextTurn) => {
      await turn()
      begun = now()
    },
  }
}

/**
 * Returns the results of `work` for each item, in order. It works in pieces, and other work of the thread runs between
 * them. The current call is noted again for each piece. Rejects with the first error of `work`, and then ends.
 */
export const mapInPieces = async <Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Result,
  worked?: () => number,
): Promise<Result[]> => {
  const results: Result[] = []
  const piece = beginPiece(worked)
  for (const item of items) {
    if (results.length > 0 && piece.isOver()) {
      await piece.end()
      resumeWork()
    }
    results.push(work(item))
  }
  return results
}
