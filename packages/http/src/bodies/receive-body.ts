import type { IncomingMessage } from 'node:http'
import { freeMemory } from '@tributary/kernel'
import type { BodyBudget } from './budget.ts'
import type { Pace, Paced } from './pace.ts'

/** Under which terms a body is read. */
export type BodyTerms = {
  /** Bytes at most. */
  limit: number
  budget: BodyBudget
  pace: Pace
}

/** Why there is no body: `overloaded` is the budget, `too-slow` the pace, `aborted` a client that has gone. */
export type BodyFault = 'too-large' | 'overloaded' | 'too-slow' | 'aborted'

/** What is counted against the budget for one request. */
export class Held {
  #bytes = 0
  readonly #budget: BodyBudget
  readonly #owner: string

  constructor(budget: BodyBudget, owner: string) {
    this.#budget = budget
    this.#owner = owner
  }

  /** Counts more bytes; false, and nothing counted, when the budget has none left for this owner. */
  add(bytes: number): boolean {
    if (!this.#budget.take(this.#owner, bytes)) return false
    this.#bytes += bytes
    return true
  }

  /** Gives bytes back that are held no more. */
  drop(bytes: number): void {
    this.#bytes -= bytes
    this.#budget.give(this.#owner, bytes)
  }

  /** Gives back what is left; may be called more than once. */
  release(): void {
    this.drop(this.#bytes)
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
 * against the owner's share of the budget until `held` is released, which the receiver does when it is done with the body; after a fault
 * nothing is held, and nothing more of the body is kept.
 */
export const receiveBody = (
  req: IncomingMessage,
  terms: BodyTerms,
  owner: string,
  done: (body: Buffer | BodyFault, held: Held) => void,
): void => {
  const { budget, limit, pace } = terms
  const held = new Held(budget, owner)
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
  // It stays and reads the rest away, unless somebody else ends that.
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
    // Of a hundred kilobytes that would otherwise wait for a collection; each was copied for this listener.
    for (const chunk of chunks) freeMemory(chunk)
    settle(body)
  })
  req.on('close', () => {
    if (!ended) settle('aborted')
  })
}
