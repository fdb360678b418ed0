import { freeWhole, noteWork, WorkHeld } from '@tributary/kernel'
import { sendOnwardPage, sendRedirect, sendSuccess } from '../answer.ts'
import { type BodyFault, checkBody, parsedBytes, readBody, readBodyInSlices } from '../body/body.ts'
import type { Job, Turns } from '../body/turns.ts'
import { keyCandidates, outerKey } from '../caller.ts'
import type { CollectRequest, IngestionContext, TrackRoute } from '../ingestion-context.ts'
import type { WriteKeyCache, WriteKeyEntry } from '../ports.ts'
import type { Refusal } from '../refusal.ts'
import * as refusals from '../refusal.ts'
import { bodyItem, templateItem } from './items.ts'

/**
 * The body to store, and its route if it differs from that of the path.
 * - `own`: the source's own rule made the body;
 * - `nothing`: there is no body to store;
 * - `redirect`: the URL to which a browser is sent afterwards.
 */
export type TransformedBody = ({ body: Buffer; route?: TrackRoute; own?: true } | { nothing: true } | Refusal) & {
  redirect?: string
}

const noBytes = Buffer.alloc(0)

/**
 * Responds to a finished call. A browser is redirected directly if the workspace has verified the host. For any other
 * host it gets a page that shows the address.
 */
const sendDone = (
  { req, res }: CollectRequest,
  redirect: string | undefined,
  isVerified: (host: string) => boolean,
): void => {
  const address = redirect === undefined ? null : URL.parse(redirect)
  if (address === null || !/^https?:$/.test(address.protocol)) return sendSuccess(req, res)
  if (isVerified(address.hostname)) return sendRedirect(req, res, address.href)
  sendOnwardPage(req, res, address)
}

/** Returns a signal that aborts if the client disconnects before the response. */
const goneSignal = ({ res }: CollectRequest): AbortSignal => {
  const controller = new AbortController()
  res.once('close', () => {
    if (!res.writableFinished) controller.abort()
  })
  return controller.signal
}

/**
 * Makes the body to store from the received body `given` (UTF-8), for the source `entry` of the call's key. `sent` has
 * the bytes of the body before they were decoded. Returns a refusal if no body can be made.
 */
export type BodyTransform = {
  (given: Buffer, request: CollectRequest, entry: WriteKeyEntry | undefined, sent: Buffer): TransformedBody
  /** Whether the transform runs code of the workspace, which is then charged with the thread time. */
  ownCode?: (entry: WriteKeyEntry) => boolean
}

type Fault = Exclude<BodyFault, 'aborted' | 'unknown-encoding' | 'unknown-charset'>

/** Creates the function that returns the refusal for a fault of a body. `owner` is the source of its key. */
const createFaults = ({ settings, retryLater }: IngestionContext) => {
  const faults: Record<Fault, Refusal> = {
    'too-large': refusals.bodyTooLarge(settings.bodyBytes),
    overloaded: retryLater.overloaded,
    'too-slow': retryLater.tooSlow,
    'bad-compression': refusals.badCompression,
    'wrong-bytes': refusals.wrongBytes,
  }
  const keylessFaults: Record<Fault, Refusal> = {
    ...faults,
    'too-large': refusals.keylessBodyTooLarge(settings.keyless.bodyBytes),
    overloaded: retryLater.keylessOverloaded,
  }

  return (
    { headers }: CollectRequest['req'],
    fault: Exclude<BodyFault, 'aborted'>,
    owner: WriteKeyEntry | undefined,
  ): Refusal => {
    if (fault === 'unknown-encoding') return refusals.badEncoding(headers['content-encoding'] ?? '')
    if (fault === 'unknown-charset') return refusals.unknownCharset(headers['content-type'] ?? '')
    return (owner === undefined ? keylessFaults : faults)[fault]
  }
}

/** The rejection of a request: the refusal, and the source and the key if they are known. */
type Refused = [Refusal, WriteKeyEntry?, string?]
type ValidationResult = { entry: WriteKeyEntry } | { refused: Refused }

/** Returns the rejection of a key that is revoked or unknown. */
const unknown = (keys: WriteKeyCache, key: string): Refused => {
  const former = keys.findRevoked(key)
  return [former === undefined ? refusals.unknownKey : refusals.revokedKey, former, key]
}

/**
 * Finds the first write key in a body that is valid or revoked, without parsing the body. Returns the source of that
 * key.
 */
const namedWithin = (keys: WriteKeyCache, body: Buffer): WriteKeyEntry | undefined => {
  for (const key of keyCandidates(body)) {
    const entry = keys.find(key) ?? keys.findRevoked(key)
    if (entry !== undefined) return entry
  }
  return undefined
}

/** Returns the rejection of a large body that has no valid or revoked key. The body is not parsed. */
const unnamed = (keys: WriteKeyCache, body: Buffer, eventBytes: number): Refused | undefined => {
  if (body.length <= eventBytes) return undefined
  const [first] = keyCandidates(body)
  if (first === undefined) return [refusals.missingKey]
  return namedWithin(keys, body) === undefined ? unknown(keys, first) : undefined
}

/** Checks the key, the shape, and the size of a body. */
function* validate(
  context: IngestionContext,
  keys: WriteKeyCache,
  body: Buffer,
  route: TrackRoute,
  named: string | undefined,
  own: boolean,
): Generator<void, ValidationResult> {
  const { eventBytes } = context.settings
  const early = named === undefined ? undefined : keys.find(named)
  if (named !== undefined && early === undefined) return { refused: unknown(keys, named) }
  const stranger = named === undefined ? unnamed(keys, body, eventBytes) : undefined
  if (stranger !== undefined) return { refused: stranger }
  const closedEarly = early === undefined ? undefined : context.closedTo(early, own)
  if (closedEarly !== undefined) return { refused: [closedEarly, early, named] }
  // Bodies up to the maximum size of a single event are parsed as a whole, and larger bodies are scanned.
  const read = yield* readBodyInSlices(body, Math.max(parsedBytes, route.kind === 'single' ? eventBytes : 0))
  if ('refusal' in read) return { refused: [read.refusal, early, named] }
  const key = named ?? read.key
  if (key === undefined) return { refused: [refusals.missingKey] }
  // Keys and sources may have changed between two slices.
  const entry = keys.find(key)
  if (entry === undefined) return { refused: unknown(keys, key) }
  const closed = context.closedTo(entry, own)
  if (closed !== undefined) return { refused: [closed, entry, key] }
  const wrong = checkBody(read, body.length, route, eventBytes)
  return wrong === undefined ? { entry } : { refused: [wrong, entry, key] }
}

/**
 * Creates the handler of calls with a body: single events and batches. Cheap checks run first. A request with its key
 * outside of the body is checked before the body is parsed. `transform` makes the body to store from the received one.
 */
export const createTracking = (
  context: IngestionContext,
  keys: WriteKeyCache,
  turns: Turns,
): ((request: CollectRequest, route: TrackRoute, transform?: BodyTransform) => void) => {
  const { settings, retryLater } = context
  const refusalOf = createFaults(context)

  function* receive(
    request: CollectRequest,
    route: TrackRoute,
    named: string | undefined,
    [given, sent]: readonly [Buffer, Buffer],
    release: () => void,
    transform: BodyTransform | undefined,
  ): Generator<void, void> {
    const owner = named === undefined ? undefined : keys.find(named)
    const transformed: TransformedBody =
      transform === undefined ? { body: given } : transform(given, request, owner, sent)
    const { redirect } = transformed
    const isVerified = (host: string): boolean => owner !== undefined && context.hasVerified(owner.workspaceId, host)
    if ('nothing' in transformed) {
      release()
      return sendDone(request, redirect, isVerified)
    }
    if ('code' in transformed) {
      context.refuse(request, route.kind, transformed, owner, named, given)
      return release()
    }
    const { body, route: kept = route } = transformed
    const result = yield* validate(context, keys, body, kept, named, transformed.own === true)
    if ('refused' in result) {
      const [refusal, source, key] = result.refused
      context.refuse(request, route.kind, refusal, source, key, body)
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
      // The log has its own copy, so a large body is freed without waiting for a garbage collection.
      freeWhole(body)
      if (refusal !== undefined) return context.refuse(request, route.kind, refusal, entry, named)
      context.taken(route.kind, entry, bytes)
      sendDone(request, redirect, isVerified)
    })
  }

  return (request, route, transform) => {
    const unfit = context.checkAdmission()
    if (unfit !== undefined) return context.refuse(request, route.kind, unfit)
    const { req } = request
    const named = outerKey(req.headers, request.query)
    const owner = named === undefined ? undefined : keys.find(named)
    // If the key is unknown, the call is refused before its body is read.
    if (named !== undefined && owner === undefined) return context.refuse(request, route.kind, ...unknown(keys, named))
    if (owner !== undefined && context.quota.isFull(owner.workspaceId))
      return context.refuse(request, route.kind, retryLater.quota, owner, named)
    readBody(
      req,
      context.termsFor(owner),
      context.senderOf(req, owner, route.kind),
      (body, release, sent = noBytes) => {
        try {
          if (typeof body !== 'string') {
            const slices = receive(request, route, named, [body, sent], release, transform)
            const ownCode = owner !== undefined && transform?.ownCode?.(owner) === true
            const item = ownCode ? templateItem(owner) : bodyItem(owner?.sourceId, body)
            const next: Job = () => {
              try {
                noteWork('collect', owner?.workspaceId ?? '', item)
                return slices.next().done !== true
              } catch (error) {
                release()
                if (error instanceof WorkHeld)
                  context.refuse(request, route.kind, refusals.held(error.message), owner, named)
                else context.fail(request, error)
                return false
              }
            }
            const receiveNow = (): void => {
              while (next()) {}
            }
            if (body.length <= settings.turns.largeBytes && !ownCode) return receiveNow()
            // Finds the source that pays for the turn without parsing, because a body without a key is not parsed.
            const payer = owner ?? namedWithin(keys, body)
            if (payer === undefined) return receiveNow()
            const leaving = { gone: goneSignal(request), dropped: release }
            if (turns.begin(payer.workspaceId, body.length, next, leaving)) return
            context.refuse(request, route.kind, ownCode ? retryLater.busy : retryLater.largeBusy, payer, named)
            return release()
          }
          if (body === 'aborted') return
          const why = refusalOf(req, body, owner)
          if (sent.length === 0) return context.refuse(request, route.kind, why, owner, named)
          // Bytes that cannot be decoded may still contain a key. The rejection is then counted for the source of the
          // key.
          const source = owner ?? namedWithin(keys, sent)
          context.refuse(request, route.kind, why, source, named ?? keyCandidates(sent)[0], sent)
          release()
        } catch (error) {
          release()
          context.fail(request, error)
        }
      },
    )
  }
}
