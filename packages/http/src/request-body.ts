import type { IncomingMessage } from 'node:http'
import {
  type Actor,
  AppError,
  badRequest,
  charsetOf,
  createPool,
  createWorkShare,
  type Holders,
  type Pool,
  type PoolHold,
  utf8Of,
} from '@tributary/kernel'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { jsonShapeProblem } from './bodies/json-shape.ts'
import { createPace, type PaceLimits } from './bodies/pace.ts'
import { announcedBytes, type BodyFault, receiveBody } from './bodies/receive-body.ts'
import { networkOf } from './network.ts'

/** Runs one job of each owner at a time; at most `most` others wait. */
const createOneByOne = (most: number) => {
  const owners = new Map<string, (() => void)[]>()
  return {
    /**
     * Runs a job immediately, or when the owner's previous jobs have ended. Returns false, and never runs the job, if
     * too many wait. The job lasts until `end` is called.
     */
    begin(owner: string, job: () => void): boolean {
      const queue = owners.get(owner)
      if (queue === undefined) {
        owners.set(owner, [])
        job()
        return true
      }
      if (queue.length >= most) return false
      queue.push(job)
      return true
    },
    /** Ends the running job of an owner; the next one begins in a later round of the event loop. */
    end(owner: string): void {
      const next = owners.get(owner)?.shift()
      if (next === undefined) owners.delete(owner)
      else setImmediate(next)
    },
  }
}

/** Sizes in bytes. */
export type ApiLimits = {
  /** Maximum bytes of a body for a call that needs no session. */
  publicBody: number
  /** Maximum bytes of a body for any other call, unless its method allows more. */
  body: number
  /** Maximum bytes of bodies in flight: of all senders without a session, and of one network. */
  strangers: { limit: number; share: number }
  /** Maximum bytes of bodies in flight: of all users, and of one user. */
  users: { limit: number; share: number }
  /** Bytes above which the bodies of a user are processed one at a time; at most `waiting` others wait. */
  oneByOne: { bytes: number; waiting: number }
  /** Maximum nesting depth and number of values of a JSON text. */
  depth: number
  values: number
  pace: PaceLimits
}

const MiB = 1024 * 1024
/** The approximate thread time for a body before it is parsed: pieces, copies, and their garbage collection. */
const readingMsPerMiB = 4

export const defaultApiLimits: ApiLimits = {
  publicBody: 16 * 1024,
  body: MiB,
  strangers: { limit: 16 * MiB, share: MiB },
  users: { limit: 64 * MiB, share: 16 * MiB },
  oneByOne: { bytes: 64 * 1024, waiting: 15 },
  depth: 64,
  values: 100_000,
  pace: { windowMs: 5000, windowBytes: 4096, totalMs: 30_000 },
}

/**
 * The sender of a request, after authentication. `address` identifies senders without a session; `work` is the called
 * method.
 */
export type Sender = { actor: Actor | undefined; address: string; work: string }

/** Maximum share of one organization, and of all bodies of one method. */
const organizationPart = 0.5
const workPart = 0.875

/** Returns the holders to which a sender's body is charged: its network, or its user and the user's organizations. */
const holdersOf = ({ actor, address, work }: Sender): Holders => {
  if (actor === undefined) return { network: networkOf(address), work }
  const organization = actor.memberships.map(({ organizationId }) => organizationId).toSorted()
  return { user: actor.userId, work, ...(organization.length === 0 ? {} : { organization: organization.join(' ') }) }
}

const poolOf = (kind: 'network' | 'user', { limit, share }: ApiLimits['users']): Pool =>
  createPool({
    total: limit,
    shares: { [kind]: share, organization: organizationPart * limit, work: workPart * limit },
    shrinking: [kind, 'organization'],
  })

export type RequestBodies = {
  /** Sets the sender of a request. The body is not read before this. */
  admit(request: FastifyRequest, sender: Sender): void
  actorOf(request: FastifyRequest): Actor | undefined
  /** Releases the bytes of a request's body after the response. */
  release(request: FastifyRequest): void
  /** Returns the bytes held for senders without a session, and for users. */
  held(): { strangers: number; users: number }
}

const faults: Readonly<Record<BodyFault, AppError>> = {
  'too-large': new AppError(413, 'BODY_TOO_LARGE', 'The request body is too large'),
  overloaded: new AppError(503, 'OVERLOADED', 'Too many bodies at once; try again in a moment', { retry_after: '1' }),
  'too-slow': new AppError(408, 'REQUEST_TIMEOUT', 'The body did not arrive in time. Send the request again.'),
  aborted: badRequest('ABORTED', 'The request was not complete'),
}
const wrongBytes = badRequest('NOT_UTF8', 'The body is not valid in its charset; send UTF-8')
const tooManyLarge = new AppError(429, 'RATE_LIMITED', 'Too many large requests at once; try again in a moment', {
  retry_after: '1',
})

type Parse = (request: FastifyRequest, text: string, done: (error: Error | null, value?: unknown) => void) => void

const createParse = (app: FastifyInstance, limits: ApiLimits): Parse => {
  // The parser uses no reviver, and scans values only in a text that contains the key.
  const parser = app.getDefaultJsonParser('error', 'ignore')
  return (request, text, done) => {
    const problem = jsonShapeProblem(text, limits)
    if (problem === 'depth')
      return done(badRequest('TOO_DEEP', `The body is nested more than ${limits.depth} levels deep`))
    if (problem === 'values')
      return done(badRequest('TOO_MANY_VALUES', `The body has more than ${limits.values} values`))
    void parser(request, text, (error, value) =>
      error === null ? done(null, value) : done(badRequest('MALFORMED_JSON', 'The body is not valid JSON')),
    )
  }
}

/**
 * Creates the reader of API bodies. Bodies in memory count against the shares of their senders, so `admit` must be
 * called before a body is read. JSON with the key `__proto__` is rejected.
 */
export const createRequestBodies = (app: FastifyInstance, limits: ApiLimits): RequestBodies => {
  const pools = { strangers: poolOf('network', limits.strangers), users: poolOf('user', limits.users) }
  const pace = createPace(limits.pace)
  const parse = createParse(app, limits)
  const senders = new WeakMap<FastifyRequest, Sender>()
  const holding = new WeakMap<FastifyRequest, PoolHold>()
  // A large body causes long steps of work. The large bodies of one user must not directly follow each other.
  const large = createOneByOne(limits.oneByOne.waiting)
  const share = createWorkShare()
  const underWay = new WeakMap<FastifyRequest, string>()

  const release: RequestBodies['release'] = (request) => {
    holding.get(request)?.release()
    const owner = underWay.get(request)
    if (owner === undefined) return
    underWay.delete(request)
    large.end(owner)
  }

  const receive = (request: FastifyRequest, raw: IncomingMessage, done: Parameters<Parse>[2]): void => {
    // An unknown path has no handler; its body is not read.
    if (request.is404) return done(null, undefined)
    const sender = senders.get(request)
    if (sender === undefined) return done(new Error('A body was read before its sender was known'))
    const { actor, address } = sender
    const terms = {
      limit: request.routeOptions.bodyLimit,
      pool: actor === undefined ? pools.strangers : pools.users,
      pace,
    }
    const owner = actor?.userId ?? address
    const read = (): void =>
      receiveBody(raw, terms, holdersOf(sender), (body, held) => {
        if (typeof body === 'string') {
          release(request)
          return done(faults[body])
        }
        holding.set(request, held)
        if (body.length === 0) return done(null, undefined)
        const text = utf8Of(body, charsetOf(request.headers['content-type']))
        if (typeof text === 'string' || text.length > terms.limit) {
          release(request)
          return done(typeof text === 'string' ? wrongBytes : faults['too-large'])
        }
        const parseNow = (): void =>
          parse(request, text.toString('utf8'), (error, value) => {
            // After an error no handler runs that would release the body.
            if (error !== null) release(request)
            done(error, value)
          })
        if (body.length <= limits.oneByOne.bytes) return parseNow()
        share.charge(owner, (body.length / MiB) * readingMsPerMiB)
        share.run(owner, parseNow)
      })
    const announced = announcedBytes(raw)
    const isRefused = announced > terms.limit && Number.isFinite(announced)
    if (actor === undefined || announced <= limits.oneByOne.bytes || isRefused) return read()
    const begin = (): void => {
      underWay.set(request, owner)
      const inTurn = (): void => {
        if (!raw.destroyed) return read()
        release(request)
        done(faults.aborted)
      }
      if (share.wait(owner) === 0 || !share.later(owner, inTurn)) inTurn()
    }
    if (!large.begin(owner, begin)) done(tooManyLarge)
  }

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (request, payload: IncomingMessage, done) => {
    receive(request, payload, (error, value) => done(error, value))
  })
  return {
    admit: (request, sender) => void senders.set(request, sender),
    actorOf: (request) => senders.get(request)?.actor,
    release,
    held: () => ({ strangers: pools.strangers.held(), users: pools.users.held() }),
  }
}
