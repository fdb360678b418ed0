import type { IncomingMessage } from 'node:http'

/** How fast bodies that nobody wants are read away, all of them together. */
export type ReadAwaySettings = {
  /** In each so many ms … */
  everyMs: number
  /** … so many bodies give a piece of at most 64 KiB each. */
  pieces: number
  /** So many at most are read away: each that waits holds up to 128 KiB of what was sent. */
  bodies: number
}

/** About 25 MB/s: a refused client is done with four megabytes in 0.2 s, and the thread spends a hundredth on it. */
export const defaultReadAway: ReadAwaySettings = { everyMs: 10, pieces: 4, bodies: 512 }

/**
 * Reads away what is sent of bodies that nobody wants, a piece of each in turns. Clients decide how much they send, so
 * without a pace the thread would do nothing else; what waits stays in the senders' memory.
 */
export type ReadAway = {
  /**
   * Takes a body over and calls `onPiece` with the bytes of each piece. Ends by itself with the body or its connection.
   * False, and nothing is read, when too many are being read away: its connection is to be closed.
   */
  add(req: IncomingMessage, onPiece: (bytes: number) => void): boolean
  /** Bodies that have sent something and wait for their turn. */
  waiting(): number
}

/** A reader with nothing to read. */
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
      // Node reads away without a limit what nobody has begun to read when the answer is finished.
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
