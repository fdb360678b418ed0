import type { IncomingMessage } from 'node:http'
import { freeMemory, type Holders, type Pool, type PoolHold } from '@tributary/kernel'
import type { Pace, Paced } from './pace.ts'

/** Terms for reading a body. */
export type BodyTerms = {
  /** Maximum of bytes. */
  limit: number
  /** Bytes of bodies that may be in memory at the same time. */
  pool: Pool
  pace: Pace
}

/** Why there is no body: `overloaded` is the pool, `too-slow` the pace, `aborted` a client that has gone. */
export type BodyFault = 'too-large' | 'overloaded' | 'too-slow' | 'aborted'

const unsaid = Number.POSITIVE_INFINITY

/** The bytes a request announces: 0 without a body, Infinity when it comes in pieces of unknown number. */
export const announcedBytes = (req: IncomingMessage): number => {
  if (req.headers['transfer-encoding'] !== undefined) return unsaid
  return Number(req.headers['content-length'] ?? 0)
}

/**
 * Reads a request's body, and calls `done` exactly once, with the body or a fault. Received bytes count against the
 * shares of its holders until `held` is released, which the receiver does when it is done with the body. After a fault
 * nothing is held, and nothing more of the body is kept.
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
  // The listener stays and discards the rest, unless other code ends that.
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
    // This frees a hundred kilobytes that would otherwise wait for a garbage collection; each chunk was copied for this
    // listener.
    for (const chunk of chunks) freeMemory(chunk)
    settle(body)
  })
  req.on('close', () => {
    if (!ended) settle('aborted')
  })
}
