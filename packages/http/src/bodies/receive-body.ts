import type { IncomingMessage } from 'node:http'
import { freeMemory, type Holders, type Pool, type PoolHold } from '@tributary/kernel'
import type { Pace, Paced } from './pace.ts'

/** The limits for reading a body. */
export type BodyTerms = {
  /** Maximum bytes of a body. */
  limit: number
  /** The pool that limits the bytes of all bodies in memory. */
  pool: Pool
  pace: Pace
}

/**
 * Why there is no body: the pool is full (`overloaded`), the body is slower than the pace (`too-slow`), or the client
 * has disconnected (`aborted`).
 */
export type BodyFault = 'too-large' | 'overloaded' | 'too-slow' | 'aborted'

const unsaid = Number.POSITIVE_INFINITY

/** Returns the number of bytes that a request announces: 0 without a body, Infinity for a chunked body. */
export const announcedBytes = (req: IncomingMessage): number => {
  if (req.headers['transfer-encoding'] !== undefined) return unsaid
  return Number(req.headers['content-length'] ?? 0)
}

/**
 * Reads the body of a request, and calls `done` exactly once, with the body or a fault. Received bytes count against
 * the shares of its holders until the receiver releases `held`. After a fault, no bytes are held and the remaining body
 * is discarded.
 */
export const receiveBody = (
  req: IncomingMessage,
  terms: BodyTerms,
  holders: Holders,
  done: (body: Buffer | BodyFault, held: PoolHold) => void,
): void => {
  const { pool, limit, pace } = terms
  const held = pool.open(holders)
  const announced = announcedBytes(req)
  if (announced > limit && announced !== unsaid) return done('too-large', held)
  let chunks: Buffer[] = []
  let ended = false
  const settle = (outcome: Buffer | BodyFault): void => {
    ended = true
    pace.done(paced)
    chunks = []
    if (typeof outcome === 'string') held.release()
    done(outcome, held)
  }
  // The listener stays and discards the remaining body, unless other code stops it.
  const onData = (chunk: Buffer): void => {
    if (ended) return
    paced.bytes += chunk.length
    if (paced.bytes > limit) return settle('too-large')
    if (!held.add(chunk.length)) return settle('overloaded')
    chunks.push(chunk)
  }
  const paced: Paced = { bytes: 0, late: () => settle('too-slow') }
  pace.watch(paced)
  req.on('data', onData)
  req.on('end', () => {
    if (ended) return
    const [only] = chunks
    if (only !== undefined && chunks.length === 1) return settle(only)
    const body = Buffer.concat(chunks, paced.bytes)
    // Frees the memory of the chunks, which would otherwise wait for a garbage collection. Each chunk was copied for
    // this listener.
    for (const chunk of chunks) freeMemory(chunk)
    settle(body)
  })
  req.on('close', () => {
    if (!ended) settle('aborted')
  })
}
