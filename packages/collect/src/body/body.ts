import type { IncomingMessage } from 'node:http'
import { type EventType, eventTypeOf, trackingLimits } from '@tributary/contract'
import { type BodyTerms, createPace, networkOf, type BodyFault as ReceiveFault, receiveBody } from '@tributary/http'
import { type CharsetFault, charsetOf, createPool, type Holders, isJsonObject, utf8Of } from '@tributary/kernel'
import { bodyKey } from '../caller.ts'
import type { TrackRoute } from '../ingestion-context.ts'
import type { CollectSettings, WriteKeyEntry } from '../ports.ts'
import type { Refusal } from '../refusal.ts'
import * as refusals from '../refusal.ts'
import { type InflateFault, type InflateTerms, inflate, knownInflating, strangersInflating } from './inflate.ts'
import { type BodyOutline, type ScanFault, scanJson } from './scan-json.ts'
import { sliceBytes } from './turns.ts'

export type BodyFault = ReceiveFault | InflateFault | CharsetFault

/** The limits for reading and decompressing a body. */
export type ReadTerms = BodyTerms & { inflating: InflateTerms }

/**
 * The owner whose turns are used for decompressing a body, and the holders to which the bytes of the body are charged.
 */
export type BodySender = { owner: string; holders: Holders }

/** The memory for the bodies of all requests. */
export type BodyMemory = {
  /**
   * Returns the limits for reading a body, and the shares to which it is charged: the shares of its workspace and
   * organization, or the small share of the sender's network.
   */
  termsFor(entry: WriteKeyEntry | undefined): ReadTerms
  senderOf(req: IncomingMessage, entry: WriteKeyEntry | undefined, work: string): BodySender
  /** Returns the bytes of all bodies in memory. */
  buffered(): number
}

/** Maximum share of one organization in the memory for bodies. */
const organizationPart = 0.5
/** Maximum share of one kind of call in the memory for bodies. */
const workPart = 0.875

/**
 * Creates the limits of the two pools of memory for bodies. Senders without a known key never use the pool of senders
 * with a known key.
 */
export const createBodyMemory = (
  settings: CollectSettings,
  addressOf: (req: IncomingMessage) => string,
): BodyMemory => {
  const { bodyBytes, keyless } = settings
  const known = {
    limit: bodyBytes,
    pool: createPool({
      total: settings.bufferedBytes,
      shares: {
        workspace: settings.workspaceBufferedBytes,
        organization: organizationPart * settings.bufferedBytes,
        work: workPart * settings.bufferedBytes,
      },
      shrinking: ['workspace', 'organization'],
    }),
    pace: createPace(settings.pace),
    inflating: knownInflating,
  }
  const unknown = {
    limit: Math.min(bodyBytes, keyless.bodyBytes),
    pool: createPool({
      total: keyless.bufferedBytes,
      shares: { network: keyless.addressBytes, work: workPart * keyless.bufferedBytes },
      shrinking: ['network'],
    }),
    pace: createPace(keyless.pace),
    inflating: strangersInflating(),
  }
  const termsFor: BodyMemory['termsFor'] = (entry) => (entry === undefined ? unknown : known)
  const senderOf: BodyMemory['senderOf'] = (req, entry, work) => {
    if (entry === undefined) {
      const network = networkOf(addressOf(req))
      return { owner: network, holders: { network, work } }
    }
    const { workspaceId: workspace, organizationId: organization } = entry
    return { owner: workspace, holders: { workspace, organization, work } }
  }
  return { termsFor, senderOf, buffered: () => known.pool.held() + unknown.pool.held() }
}

const isGzip = (body: Buffer): boolean => body[0] === 0x1f && body[1] === 0x8b

/**
 * Returns the compression that a header names; undefined if it names none. Some senders write `none`, or list
 * `identity` together with another compression.
 */
const compressionOf = (header: string | undefined): string | undefined =>
  header
    ?.toLowerCase()
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '' && part !== 'identity' && part !== 'none')
    .join(', ') || undefined

/**
 * Reads a request's body, decompresses it, and converts it from the charset of its Content-Type to UTF-8 without a byte
 * order mark. Calls `done` exactly once: with the converted body and the bytes before conversion, or with a fault. The
 * body has at most `terms.limit` bytes, before and after decompression. The bytes in memory count against the shares of
 * the sender until `release` is called. A gzip body is recognized even without its header, because no JSON text begins
 * with its two magic bytes. If the bytes cannot be decoded, `done` still gets them, so that the caller can find the key
 * in them.
 */
export const readBody = (
  req: IncomingMessage,
  terms: ReadTerms,
  { owner, holders }: BodySender,
  done: (body: Buffer | BodyFault, release: () => void, sent?: Buffer) => void,
): void =>
  receiveBody(req, terms, holders, (body, held) => {
    const release = (): void => held.release()
    if (typeof body === 'string') return done(body, release)
    const decode = (sent: Buffer): void => {
      const text = utf8Of(sent, charsetOf(req.headers['content-type']))
      if (typeof text === 'string') return done(text, release, sent)
      const more = text.length - sent.length
      const fault = text.length > terms.limit ? 'too-large' : more > 0 && !held.add(more) ? 'overloaded' : undefined
      if (fault === undefined) return done(text, release, sent)
      release()
      done(fault, release)
    }
    const compression = compressionOf(req.headers['content-encoding'])
    if (compression === undefined && !isGzip(body)) return decode(body)
    const options = { limit: terms.limit, owner, held, terms: terms.inflating }
    inflate(compression ?? 'gzip', body, options, (result) => {
      if (typeof result !== 'string') return decode(result)
      release()
      done(result, release)
    })
  })

/**
 * Maximum size of a body that is parsed as a whole. Such a body is too small to block the thread; larger bodies are
 * scanned.
 */
export const parsedBytes = 64 * 1024
/**
 * Limits of a scanned body. It can have five times the values of a batch of ordinary events, and far more levels than
 * an event may have.
 */
const shapeLimits = { depth: 1000, values: 400_000, sliceBytes }

const faultRefusal = ({ fault, at }: ScanFault, body: Buffer): Refusal => {
  if (fault === 'depth') return refusals.tooDeep(trackingLimits.jsonDepth)
  if (fault === 'values') return refusals.tooManyValues(shapeLimits.values)
  return refusals.badJson(at === undefined ? undefined : String(body.toString('utf8', 0, at).length))
}

/** Parses the JSON object of a body in UTF-8, or returns why the body is not a JSON object. */
export const parseBody = (body: Buffer): { value: Record<string, unknown> } | { refusal: Refusal } => {
  if (body.length === 0) return { refusal: refusals.emptyBody }
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return isJsonObject(value) ? { value } : { refusal: refusals.notAnObject }
  } catch (error) {
    return { refusal: refusals.badJson(/position (\d+)/.exec(String(error))?.[1]) }
  }
}

/** The data for validating a body: the parsed object of a small body, otherwise the outline of a scan. */
export type ReadBody = { key: string | undefined } & (
  | { value: Record<string, unknown> }
  | { outline: Pick<BodyOutline, 'batch'> }
)

/**
 * Reads a body in UTF-8, or returns why it is not a JSON object. Small bodies are parsed at once; larger ones are
 * scanned in slices with breaks.
 */
export function* readBodyInSlices(
  body: Buffer,
  maxParsedBytes = parsedBytes,
): Generator<void, ReadBody | { refusal: Refusal }> {
  if (body.length <= maxParsedBytes) {
    const parsed = parseBody(body)
    return 'refusal' in parsed ? parsed : { key: bodyKey(parsed.value), value: parsed.value }
  }
  const found = yield* scanJson(body, shapeLimits)
  if ('fault' in found) return { refusal: faultRefusal(found, body) }
  if (!found.isObject) return { refusal: refusals.notAnObject }
  return { key: found.writeKey ?? found.firstWriteKey, outline: found }
}

/**
 * Returns why a body is not a JSON object; undefined if it is one. Scans without breaks, for content that will become
 * part of another body.
 */
export const bodyFault = (body: Buffer): Refusal | undefined => {
  const slices = readBodyInSlices(body)
  let slice = slices.next()
  while (slice.done !== true) slice = slices.next()
  return 'refusal' in slice.value ? slice.value.refusal : undefined
}

const present = (value: unknown): boolean => (typeof value === 'string' && value !== '') || typeof value === 'number'

const deeperThan = (value: unknown, levels: number): boolean => {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  for (const child of Object.values(value)) {
    if (typeof child === 'object' && deeperThan(child, levels - 1)) return true
  }
  return false
}

const noUser = 'The event has no `userId` or `anonymousId`. Send at least one of them as a string.'

const checkIds = (type: EventType, event: Record<string, unknown>): Refusal | undefined => {
  if (type === 'alias') {
    if (!present(event.userId))
      return refusals.missingField(type, 'userId', "An alias call needs `userId`, the user's new ID.")
    return present(event.previousId)
      ? undefined
      : refusals.missingField(type, 'previousId', "An alias call needs `previousId`, the user's previous ID.")
  }
  if (!present(event.userId) && !present(event.anonymousId)) return refusals.missingField(type, 'userId', noUser)
  if (type === 'group' && !present(event.groupId))
    return refusals.missingField(type, 'groupId', 'A group call needs `groupId`.')
  if (type === 'track' && !present(event.event)) {
    return refusals.missingField(type, 'event', 'A track call needs `event`, the event name.')
  }
  return undefined
}

/**
 * Validates a single event: size (bytes as received), type (from the body, otherwise from the path), IDs and nesting.
 * Numbers are accepted as IDs. Returns why the event is rejected; undefined if it is valid.
 */
export const checkSingle = (
  event: Record<string, unknown>,
  size: number,
  pathType: EventType,
  maxBytes: number,
): Refusal | undefined => {
  if (size > maxBytes) return refusals.eventTooLarge(size, maxBytes)
  const given = event.type === undefined || event.type === null || event.type === '' ? pathType : event.type
  const type = typeof given === 'string' ? eventTypeOf(given) : undefined
  if (type === undefined) return refusals.unknownType(typeof given === 'string' ? given : typeof given)
  const missing = checkIds(type, event)
  if (missing !== undefined) return missing
  return deeperThan(event, trackingLimits.jsonDepth) ? refusals.tooDeep(trackingLimits.jsonDepth) : undefined
}

/**
 * Validates a body for the kind of call that sent it. Events of a batch are validated one by one later, and stored as
 * rejected if they are invalid. A single event that was too large to be parsed is rejected as too large.
 */
export const checkBody = (
  read: ReadBody,
  size: number,
  route: TrackRoute,
  maxEventBytes: number,
): Refusal | undefined => {
  if (route.kind === 'single')
    return 'value' in read
      ? checkSingle(read.value, size, route.type, maxEventBytes)
      : refusals.eventTooLarge(size, maxEventBytes)
  const batch = 'value' in read ? batchOf(read.value) : read.outline.batch
  if (batch === 'absent') return refusals.noBatch
  return batch === 'empty' ? refusals.emptyBatch : undefined
}

const batchOf = ({ batch }: Record<string, unknown>): BodyOutline['batch'] => {
  if (!Array.isArray(batch)) return 'absent'
  return batch.length === 0 ? 'empty' : 'filled'
}
