import { freeWhole } from '@tributary/kernel'
import { sendRedirect, sendSuccess } from '../answer.ts'
import type { BodyFault } from '../body/body.ts'
import { readBody } from '../body/body.ts'
import type { Job, Turns } from '../body/turns.ts'
import { checkBody, parsedBytes, readBodyInSlices } from '../body/validate-body.ts'
import { keyCandidates, outerKey } from '../credentials.ts'
import type { CollectRequest, IngestionContext } from '../ingestion-context.ts'
import type { WriteKeyCache, WriteKeyEntry } from '../ports.ts'
import type { Refusal } from '../refusal.ts'
import * as refusals from '../refusal.ts'
import type { TrackRoute } from '../routes.ts'

/**
 * The body that counts, and as what when that is not what the path says. `own`: the source's own rule made it. Nothing at
 * all when there is nothing to keep. `redirect`: where a browser is led on to.
 */
export type TransformedBody = ({ body: Buffer; route?: TrackRoute; own?: true } | { nothing: true } | Refusal) & {
  redirect?: string
}

const sendDone = ({ req, res }: CollectRequest, redirect: string | undefined): void =>
  redirect === undefined ? sendSuccess(req, res) : sendRedirect(req, res, redirect)

/** Makes the body that counts of the one that was sent; or says why it cannot. `entry` is whose key the call names. */
export type BodyTransform = {
  (sent: Buffer, request: CollectRequest, entry: WriteKeyEntry | undefined): TransformedBody
  /** Whether it runs what a workspace wrote: then it takes of that workspace's share of the thread. */
  ownCode?: (entry: WriteKeyEntry) => boolean
}

/**
 * Calls with a body: single events and batches. The checks stand in the order of their price, and a request that names
 * its key outside of the body is refused before the body is parsed.
 * `transform` makes the body that counts of the one that was sent.
 */
export const createTracking = (
  context: IngestionContext,
  keys: WriteKeyCache,
  turns: Turns,
): ((request: CollectRequest, route: TrackRoute, transform?: BodyTransform) => void) => {
  const { settings, retryLater } = context
  type Fault = Exclude<BodyFault, 'aborted' | 'unknown-encoding'>
  const faults: Record<Fault, Refusal> = {
    'too-large': refusals.bodyTooLarge(settings.bodyBytes),
    overloaded: retryLater.overloaded,
    'too-slow': retryLater.tooSlow,
    'bad-compression': refusals.badCompression,
  }
  const keylessFaults: Record<Fault, Refusal> = {
    ...faults,
    'too-large': refusals.keylessBodyTooLarge(settings.keyless.bodyBytes),
    overloaded: retryLater.keylessOverloaded,
  }

  /** Whose request it is, or why it is refused: [refusal, source, key]. */
  type Refused = [Refusal, WriteKeyEntry?, string?]
  type ValidationResult = { entry: WriteKeyEntry } | { refused: Refused }
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
  function* validate(
    body: Buffer,
    route: TrackRoute,
    named: string | undefined,
    own: boolean,
  ): Generator<void, ValidationResult> {
    const early = named === undefined ? undefined : keys.find(named)
    if (named !== undefined && early === undefined) return { refused: unknown(named) }
    const stranger = named === undefined ? unnamed(body) : undefined
    if (stranger !== undefined) return { refused: stranger }
    const closedEarly = early === undefined ? undefined : context.closedTo(early, own)
    if (closedEarly !== undefined) return { refused: [closedEarly, early, named] }
    // What may be kept as one event is parsed.
    const read = yield* readBodyInSlices(body, Math.max(parsedBytes, route.kind === 'single' ? settings.eventBytes : 0))
    if ('refusal' in read) return { refused: [read.refusal, early, named] }
    const key = named ?? read.key
    if (key === undefined) return { refused: [refusals.missingKey] }
    // Keys and sources may have changed between two slices.
    const entry = keys.find(key)
    if (entry === undefined) return { refused: unknown(key) }
    const closed = context.closedTo(entry, own)
    if (closed !== undefined) return { refused: [closed, entry, key] }
    const wrong = checkBody(read, body.length, route, settings.eventBytes)
    return wrong === undefined ? { entry } : { refused: [wrong, entry, key] }
  }

  function* receive(
    request: CollectRequest,
    route: TrackRoute,
    named: string | undefined,
    sent: Buffer,
    release: () => void,
    transform: BodyTransform | undefined,
  ): Generator<void, void> {
    const owner = named === undefined ? undefined : keys.find(named)
    const transformed: TransformedBody = transform === undefined ? { body: sent } : transform(sent, request, owner)
    const { redirect } = transformed
    if ('nothing' in transformed) {
      release()
      return sendDone(request, redirect)
    }
    if ('code' in transformed) {
      context.refuse(request, route.kind, transformed, owner, named, sent)
      return release()
    }
    const { body, route: kept = route } = transformed
    const result = yield* validate(body, kept, named, transformed.own === true)
    if ('refused' in result) {
      context.refuse(request, route.kind, ...withBody(result.refused, body))
      return release()
    }
    const { entry } = result
    const foreign = context.foreignTo(request.req, entry)
    if (foreign !== undefined) {
      context.refuse(request, route.kind, foreign, entry, named, body)
      return release()
    }
    const bytes = body.length
    yield* context.producer.append({ entry, meta: context.metaOf(request.req, entry, kept), body }, (refusal) => {
      release()
      // The log has its own copy, and so large ones need not wait for a collection.
      freeWhole(body)
      if (refusal !== undefined) return context.refuse(request, route.kind, refusal, entry, named)
      context.taken(route.kind, entry, bytes)
      sendDone(request, redirect)
    })
  }

  return (request, route, transform) => {
    const unfit = context.checkAdmission()
    if (unfit !== undefined) return context.refuse(request, route.kind, unfit)
    const { req } = request
    const named = outerKey(req.headers, request.query)
    const owner = named === undefined ? undefined : keys.find(named)
    // Nothing is read for a key that nobody has.
    if (named !== undefined && owner === undefined) return context.refuse(request, route.kind, ...unknown(named))
    if (owner !== undefined && context.quota.isFull(owner.workspaceId))
      return context.refuse(request, route.kind, retryLater.quota, owner, named)
    readBody(req, context.termsFor(owner), context.ownerOf(req, owner), (body, release) => {
      try {
        if (typeof body !== 'string') {
          const slices = receive(request, route, named, body, release, transform)
          const next: Job = () => {
            try {
              return slices.next().done !== true
            } catch (error) {
              release()
              context.fail(request, error)
              return false
            }
          }
          const receiveNow = (): void => {
            while (next()) {}
          }
          const ownCode = owner !== undefined && transform?.ownCode?.(owner) === true
          if (body.length <= settings.turns.largeBytes && !ownCode) return receiveNow()
          // A body that names nobody is not parsed.
          const payer = owner ?? namedWithin(body)
          if (payer === undefined) return receiveNow()
          if (turns.begin(payer.workspaceId, body.length, next)) return
          context.refuse(request, route.kind, ownCode ? retryLater.busy : retryLater.largeBusy, payer, named)
          return release()
        }
        if (body === 'aborted') return
        const why =
          body === 'unknown-encoding'
            ? refusals.badEncoding(req.headers['content-encoding'] ?? '')
            : (owner === undefined ? keylessFaults : faults)[body]
        context.refuse(request, route.kind, why, owner, named)
      } catch (error) {
        release()
        context.fail(request, error)
      }
    })
  }
}

const withBody = (
  [refusal, entry, key]: [Refusal, WriteKeyEntry?, string?],
  body: Buffer,
): [Refusal, WriteKeyEntry | undefined, string | undefined, Buffer] => [refusal, entry, key, body]
