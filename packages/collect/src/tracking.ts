import { sendSuccess } from './answer.ts'
import type { BodyFault } from './body.ts'
import { readBody } from './body.ts'
import { keyCandidates, outerKey } from './credentials.ts'
import type { Asked, Desk } from './desk.ts'
import { checkBody, parsedBytes, readBodyInSlices } from './judge.ts'
import type { WriteKeyDirectory, WriteKeyEntry } from './ports.ts'
import type { Refusal } from './refusal.ts'
import * as refusals from './refusal.ts'
import type { TrackRoute } from './routes.ts'
import type { Job, Turns } from './turns.ts'

/**
 * The body that counts, and as what when that is not what the path says. `own`: the source's own rule made it. Nothing at
 * all when there is nothing to keep.
 */
export type Made = { body: Buffer; route?: TrackRoute; own?: true } | 'nothing' | Refusal

/** Makes the body that counts of the one that was sent; or says why it cannot. `entry` is whose key the call names. */
export type Wrap = {
  (sent: Buffer, asked: Asked, entry: WriteKeyEntry | undefined): Made
  /** Whether it runs what a workspace wrote: then it takes of that workspace's share of the thread. */
  ownCode?: (entry: WriteKeyEntry) => boolean
}

/**
 * Calls with a body: single events and batches. The checks stand in the order of their price, and a request that names
 * its key outside of the body is refused before the body is parsed.
 * `wrap` makes the body that counts of the one that was sent.
 */
export const createTracking = (
  desk: Desk,
  keys: WriteKeyDirectory,
  turns: Turns,
): ((asked: Asked, route: TrackRoute, wrap?: Wrap) => void) => {
  const { settings, later } = desk
  type Fault = Exclude<BodyFault, 'aborted' | 'unknown-encoding'>
  const faults: Record<Fault, Refusal> = {
    'too-large': refusals.bodyTooLarge(settings.bodyBytes),
    overloaded: later.overloaded,
    'too-slow': later.tooSlow,
    'bad-compression': refusals.badCompression,
  }
  const keylessFaults: Record<Fault, Refusal> = {
    ...faults,
    'too-large': refusals.keylessBodyTooLarge(settings.keyless.bodyBytes),
    overloaded: later.keylessOverloaded,
  }

  /** Whose request it is, or why it is refused: [refusal, source, key]. */
  type Refused = [Refusal, WriteKeyEntry?, string?]
  type Verdict = { entry: WriteKeyEntry } | { refused: Refused }
  const unknown = (key: string): Refused => {
    const former = keys.findRevoked(key)
    return [former === undefined ? refusals.unknownKey : refusals.revokedKey, former, key]
  }
  /** Whose key a body names, found without parsing it: of several the first that somebody has or had. */
  const namedWithin = (body: Buffer): WriteKeyEntry | undefined => {
    for (const key of keyCandidates(body)) {
      const entry = keys.find(key) ?? keys.findRevoked(key)
      if (entry !== undefined) return entry
    }
    return undefined
  }
  /** Why a large body that nobody's key came with is not even parsed: it names no key that somebody has or had. */
  const unnamed = (body: Buffer): Refused | undefined => {
    if (body.length <= settings.eventBytes) return undefined
    const [first] = keyCandidates(body)
    if (first === undefined) return [refusals.missingKey]
    return namedWithin(body) === undefined ? unknown(first) : undefined
  }
  function* judge(body: Buffer, route: TrackRoute, named: string | undefined, own: boolean): Generator<void, Verdict> {
    const early = named === undefined ? undefined : keys.find(named)
    if (named !== undefined && early === undefined) return { refused: unknown(named) }
    const stranger = named === undefined ? unnamed(body) : undefined
    if (stranger !== undefined) return { refused: stranger }
    const closedEarly = early === undefined ? undefined : desk.closedTo(early, own)
    if (closedEarly !== undefined) return { refused: [closedEarly, early, named] }
    // What may be kept as one event is parsed.
    const read = yield* readBodyInSlices(body, Math.max(parsedBytes, route.kind === 'single' ? settings.eventBytes : 0))
    if ('refusal' in read) return { refused: [read.refusal, early, named] }
    const key = named ?? read.key
    if (key === undefined) return { refused: [refusals.missingKey] }
    // Keys and sources may have changed between two slices.
    const entry = keys.find(key)
    if (entry === undefined) return { refused: unknown(key) }
    const closed = desk.closedTo(entry, own)
    if (closed !== undefined) return { refused: [closed, entry, key] }
    const wrong = checkBody(read, body.length, route, settings.eventBytes)
    return wrong === undefined ? { entry } : { refused: [wrong, entry, key] }
  }

  function* receive(
    asked: Asked,
    route: TrackRoute,
    named: string | undefined,
    sent: Buffer,
    release: () => void,
    wrap: Wrap | undefined,
  ): Generator<void, void> {
    const owner = named === undefined ? undefined : keys.find(named)
    const made: Made = wrap === undefined ? { body: sent } : wrap(sent, asked, owner)
    if (made === 'nothing') {
      release()
      return sendSuccess(asked.req, asked.res)
    }
    if ('code' in made) {
      desk.refuse(asked, route.kind, made, owner, named, sent)
      return release()
    }
    const { body, route: kept = route } = made
    const verdict = yield* judge(body, kept, named, made.own === true)
    if ('refused' in verdict) {
      desk.refuse(asked, route.kind, ...withBody(verdict.refused, body))
      return release()
    }
    const { entry } = verdict
    desk.intake.append({ entry, meta: desk.metaOf(asked.req, entry, kept), body }, (refusal) => {
      release()
      if (refusal !== undefined) return desk.refuse(asked, route.kind, refusal, entry, named)
      desk.taken(route.kind, entry, body.length)
      sendSuccess(asked.req, asked.res)
    })
  }

  return (asked, route, wrap) => {
    const unfit = desk.shed()
    if (unfit !== undefined) return desk.refuse(asked, route.kind, unfit)
    const { req } = asked
    const named = outerKey(req.headers, asked.query)
    const owner = named === undefined ? undefined : keys.find(named)
    // Nothing is read for a key that nobody has.
    if (named !== undefined && owner === undefined) return desk.refuse(asked, route.kind, ...unknown(named))
    if (owner !== undefined && desk.backlog.isFull(owner.workspaceId))
      return desk.refuse(asked, route.kind, later.backlog, owner, named)
    readBody(req, desk.termsFor(owner), desk.ownerOf(req, owner), (body, release) => {
      try {
        if (typeof body !== 'string') {
          const slices = receive(asked, route, named, body, release, wrap)
          const next: Job = () => {
            try {
              return slices.next().done !== true
            } catch (error) {
              release()
              desk.fail(asked, error)
              return false
            }
          }
          const receiveNow = (): void => {
            while (next()) {}
          }
          const ownCode = owner !== undefined && wrap?.ownCode?.(owner) === true
          if (body.length <= settings.turns.largeBytes && !ownCode) return receiveNow()
          // A body that names nobody is not parsed.
          const payer = owner ?? namedWithin(body)
          if (payer === undefined) return receiveNow()
          if (turns.begin(payer.workspaceId, body.length, next)) return
          desk.refuse(asked, route.kind, ownCode ? later.busy : later.largeBusy, payer, named)
          return release()
        }
        if (body === 'aborted') return
        const why =
          body === 'unknown-encoding'
            ? refusals.badEncoding(req.headers['content-encoding'] ?? '')
            : (owner === undefined ? keylessFaults : faults)[body]
        desk.refuse(asked, route.kind, why, owner, named)
      } catch (error) {
        release()
        desk.fail(asked, error)
      }
    })
  }
}

const withBody = (
  [refusal, entry, key]: [Refusal, WriteKeyEntry?, string?],
  body: Buffer,
): [Refusal, WriteKeyEntry | undefined, string | undefined, Buffer] => [refusal, entry, key, body]
