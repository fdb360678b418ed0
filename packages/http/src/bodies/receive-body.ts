import type { IncomingMessage } from 'node:http'
import type { BodyBudget } from './budget.ts'
import type { Pace } from './pace.ts'

/** Under which terms a body is read. */
export type BodyTerms = {
  /** Bytes at most. */
  limit: number
  budget: BodyBudget
  /** Whose share of the budget it counts against. */
  owner: string
  pace: Pace
}

/** Why there is no body: `overloaded` is the budget, `too-slow` the pace, `aborted` a client that has gone. */
export type BodyFault = 'too-large' | 'overloaded' | 'too-slow' | 'aborted'

/** What is counted against the budget for one request. */
export type Held = {
  /** Counts more bytes; false, and nothing counted, when the budget has none left for this owner. */
  add(bytes: number): boolean
  /** Gives bytes back that are held no more. */
  drop(bytes: number): void
  /** Gives back what is left; may be called more than once. */
  release(): void
}

const holdFor = ({ budget, owner }: BodyTerms): Held => {
  let held = 0
  const drop = (bytes: number): void => {
    held -= bytes
    budget.give(owner, bytes)
  }
  return {
    add(bytes) {
      if (!budget.take(owner, bytes)) return false
      held += bytes
      return true
    },
    drop,
    release: () => drop(held),
  }
}

const unsaid = Number.POSITIVE_INFINITY

/** The bytes a request announces: 0 without a body, Infinity when it comes in pieces of which nobody says how many. */
export const announcedBytes = (req: IncomingMessage): number => {
  if (req.headers['transfer-encoding'] !== undefined) return unsaid
  return Number(req.headers['content-length'] ?? 0)
}

/**
 * Reads a request's body, and calls `done` exactly once, with the body or with why there is none. What has come counts
 * against the budget until `held` is released, which the receiver does when it is done with the body; after a fault
 * nothing is held, and nothing more of the body is kept.
 */
export const receiveBody = (
  req: IncomingMessage,
  terms: BodyTerms,
  done: (body: Buffer | BodyFault, held: Held) => void,
): void => {
  const held = holdFor(terms)
  const announced = announcedBytes(req)
  if (announced > terms.limit && announced !== unsaid) return done('too-large', held)
  let chunks: Buffer[] = []
  let size = 0
  let ended = false
  const settle = (outcome: Buffer | BodyFault): void => {
    ended = true
    paced.done()
    chunks = []
    if (typeof outcome === 'string') held.release()
    done(outcome, held)
  }
  // It stays and reads the rest away, unless somebody else ends that.
  const onData = (chunk: Buffer): void => {
    if (ended) return
    size += chunk.length
    if (size > terms.limit) return settle('too-large')
    if (!held.add(chunk.length)) return settle('overloaded')
    paced.came(chunk.length)
    chunks.push(chunk)
  }
  const paced = terms.pace.watch(() => settle('too-slow'))
  req.on('data', onData)
  req.on('end', () => {
    if (ended) return
    const [only] = chunks
    settle(only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks, size))
  })
  req.on('close', () => {
    if (!ended) settle('aborted')
  })
}
