import type { IncomingMessage } from 'node:http'

/** Pace of discarding unwanted bodies, all of them together. */
export type ReadAwaySettings = {
  /** In each period of this many ms … */
  everyMs: number
  /** … this many bodies give a piece of at most 64 KiB each. */
  pieces: number
  /** Maximum of bodies discarded at the same time: each that waits holds up to 128 KiB of what was sent. */
  bodies: number
}

/** About 25 MB/s: a refused client is done with four megabytes in 0.2 s, and the thread spends a hundredth on it. */
export const defaultReadAway: ReadAwaySettings = { everyMs: 10, pieces: 4, bodies: 512 }

/**
 * Discards unwanted bodies, a piece of each in turns. Clients decide how much they send, so without a pace the thread
 * would do nothing else; the rest waits in the senders' memory.
 */
export type ReadAway = {
  /**
   * Takes over a body and calls `onPiece` with the bytes of each piece. Ends with the body or its connection. Returns
   * false, and reads nothing, when too many are being discarded: close its connection then.
   */
  add(req: IncomingMessage, onPiece: (bytes: number) => void): boolean
  /** Bodies that have sent something and wait for their turn. */
  waiting(): number
}

/** Creates a reader with nothing to read. */
export const createReadAway = ({ everyMs, pieces, bodies }: ReadAwaySettings = defaultReadAway): ReadAway => {
  const taken = new Set<IncomingMessage>()
  const queue = new Set<IncomingMessage>()
  let timer: NodeJS.Timeout | undefined
  const turn = (): void => {
    let left = pieces
    for (const req of queue) {
      if (left-- === 0) break
      queue.delete(req)
      req.resume()
    }
    if (queue.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
  const wait = (req: IncomingMessage): void => {
    queue.add(req)
    timer ??= setInterval(turn, everyMs).unref()
  }
  return {
    add(req, onPiece) {
      if (taken.size >= bodies && !taken.has(req)) return false
      taken.add(req)
      req.pause()
      // When an answer is finished, Node discards a body without a limit if no code has begun to read it.
      req.read(0)
      req.on('data', (chunk: Buffer) => {
        req.pause()
        wait(req)
        onPiece(chunk.length)
      })
      req.once('close', () => {
        taken.delete(req)
        queue.delete(req)
      })
      wait(req)
      return true
    },
    waiting: () => queue.size,
  }
}
